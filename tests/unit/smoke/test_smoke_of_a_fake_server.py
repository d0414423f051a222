"""The whole command against a fake server: what it prints, keeps and says when things are not as they should be."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from edgeops import smoke
from edgeops.cli import main
from edgeops.engine import Session
from edgeops.engine.script import HOST_PYTHON
from edgeops.errors import ConfigurationError, EdgeopsError
from edgeops.inventory import Host
from edgeops.runs import Run
from edgeops.settings import Settings
from edgeops.smoke.url import target_of
from edgeops.snapshot import Answer
from tests.unit.bench.fake_server import HEALTH, Action, FakeServer, delta, error_answer, event, generation

SMALL = ("--max-tokens", "16")
PLAIN_HEALTH = {**HEALTH, "capabilities": {"speculative_decoding": False, "speculative_method": "none"}}


def fast(body: dict[str, Any]) -> Iterator[Action]:
    """One token a step, or three where drafting is on."""
    size = 1 if body.get("disable_spec_decode") else 3
    whole, rest = divmod(body["max_tokens"] - 1, size)
    steps = [1, *[size] * whole, *([rest] if rest else [])]
    return generation(steps, first_s=0.02, step_s=0.005, count="logprobs" in body)


def run(directory: Path, *words: str) -> Result:
    runner = CliRunner()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        return runner.invoke(main, ["smoke", *words])


def refusing(*fields: str):
    def answer(body: dict[str, Any]) -> Iterator[Action]:
        for field in (*fields, "edgeops_unknown_field"):
            if field in body:
                return iter([error_answer(400, f"Extra inputs are not permitted: {field}")])
        return fast(body)

    return answer


def test_the_stored_result_is_the_one_that_its_records_give(tmp_path: Path) -> None:
    with FakeServer(fast) as server:
        done = run(tmp_path, "--url", server.url, "--json", *SMALL)
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    directory = tmp_path / ".edgeops" / "runs" / document["run"]
    assert json.loads((directory / "smoke.json").read_text()) == document
    assert smoke.recompute(directory) == document


def test_both_arms_are_measured_in_turns_and_in_the_same_way(tmp_path: Path) -> None:
    with FakeServer(fast) as server:
        done = run(tmp_path, "--url", server.url, "--json", *SMALL)
    entry = json.loads(done.stdout)["hosts"][0]
    workload = entry["workloads"][0]
    assert (entry["url"], entry["simulated"], workload["name"]) == (server.url, False, "chat")
    assert list(workload["arms"]) == ["baseline", "k3"]
    assert [arm["requests"] for arm in workload["arms"].values()] == [6, 6]
    assert [arm["failed"] for arm in workload["arms"].values()] == [{}, {}]
    assert workload["arms"]["k3"]["tokens_per_step"] == pytest.approx(3.0)
    assert workload["arms"]["k3"]["decode_upper_bound"] is False
    assert 1.2 < workload["speedup"]["k3"]["e2e"] < 4
    timed = [
        body["disable_spec_decode"] for body in server.requests if body["max_tokens"] == 16 and "logprobs" not in body
    ]
    assert timed[-18:-6] == [True, False, False, True] * 3


def test_what_is_sent_is_greedy_without_thinking_and_without_reuse(tmp_path: Path) -> None:
    with FakeServer(fast) as server:
        run(tmp_path, "--url", server.url, *SMALL)
    for body in server.requests[2:]:
        assert body["model"] == "fake-model"
        assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})
        assert (body["temperature"], body["enable_thinking"]) == (0, False)
        assert (body["reuse_context"], body["cache_generated_tokens"]) == (False, False)


def test_fields_that_a_server_refuses_are_dropped_and_said(tmp_path: Path) -> None:
    with FakeServer(refusing("reuse_context", "cache_generated_tokens")) as server:
        done = run(tmp_path, "--url", server.url, "--json", *SMALL)
    assert done.exit_code == 0
    assert "refuses" in done.stderr
    assert "reuse_context" in done.stderr
    assert list(json.loads(done.stdout)["hosts"][0]["workloads"][0]["arms"]) == ["baseline", "k3"]


def test_a_server_that_knows_only_the_newer_limit_is_asked_by_that(tmp_path: Path) -> None:
    def modern(body: dict[str, Any]) -> Iterator[Action]:
        if "max_tokens" in body:
            text = "Unsupported parameter: 'max_tokens' is not supported here. Use 'max_completion_tokens' instead."
            return iter([error_answer(400, text)])
        return refusing("reuse_context")({**body, "max_tokens": body["max_completion_tokens"]})

    with FakeServer(modern) as server:
        done = run(tmp_path, "--url", server.url, "--json", *SMALL)
    workload = json.loads(done.stdout)["hosts"][0]["workloads"][0]
    assert [arm["failed"] for arm in workload["arms"].values()] == [{}, {}]
    assert "refuses max_tokens, reuse_context" in done.stderr
    assert {body.get("max_completion_tokens") for body in server.requests[4:]} == {16}


def test_a_speed_that_never_settles_is_measured_after_five_warm_ups_and_told(tmp_path: Path) -> None:
    asked: dict[bool, int] = {}

    def wandering(body: dict[str, Any]) -> Iterator[Action]:
        plain = bool(body.get("disable_spec_decode"))
        asked[plain] = asked.get(plain, 0) + 1
        return generation([1] * 8, first_s=0.01, step_s=(0.005, 0.02)[asked[plain] % 2], count="logprobs" in body)

    with FakeServer(wandering) as server:
        done = run(tmp_path, "--url", server.url, "--json", "--max-tokens", "8")
    document = json.loads(done.stdout)
    lines = (tmp_path / document["hosts"][0]["records"]).read_text().splitlines()
    phases = [json.loads(line)["step"]["phase"] for line in lines if json.loads(line)["kind"] == "request"]
    assert (phases.count("warmup"), phases.count("timed")) == (10, 12)
    assert "baseline in chat never settled" in done.stderr
    assert "k3 in chat never settled" in done.stderr


def test_several_workloads_are_measured_in_one_run(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text('{"texts": ["Hello."]}\n{"prompt": "Good bye."}\n')
    with FakeServer(fast) as server:
        done = run(tmp_path, "--url", server.url, "--json", "--workload", "1k,mine.jsonl", *SMALL)
    workloads = json.loads(done.stdout)["hosts"][0]["workloads"]
    assert [(one["name"], one["arms"]["k3"]["requests"]) for one in workloads] == [("mine", 2), ("1k", 6)]


def test_a_server_that_refuses_the_switch_has_one_arm_and_no_verdict(tmp_path: Path) -> None:
    with FakeServer(refusing("disable_spec_decode")) as server:
        done = run(tmp_path, "--url", server.url, "--json", *SMALL)
    entry = json.loads(done.stdout)["hosts"][0]
    assert (done.exit_code, entry["verdict"]) == (0, "inconclusive")
    assert list(entry["workloads"][0]["arms"]) == ["k3"]
    assert "refuses disable_spec_decode" in entry["guards"][0]["detail"]


def test_any_server_without_health_is_measured_as_it_decodes(tmp_path: Path) -> None:
    with FakeServer(fast, health=None, version=None) as server:
        done = run(tmp_path, "--url", server.url + "/v1", "--json", *SMALL)
    entry = json.loads(done.stdout)["hosts"][0]
    assert (done.exit_code, entry["verdict"]) == (0, "inconclusive")
    assert entry["server"] == {
        "model": "fake-model",
        "version": None,
        "speculative_method": None,
        "baseline_kind": None,
    }
    assert list(entry["workloads"][0]["arms"]) == ["baseline"]


def test_a_server_that_fails_every_request_is_exit_code_1(tmp_path: Path) -> None:
    with FakeServer(lambda _: iter([error_answer(500, "engine failure")])) as server:
        done = run(tmp_path, "--url", server.url, "--json", *SMALL)
    entry = json.loads(done.stdout)["hosts"][0]
    assert (done.exit_code, entry["verdict"]) == (1, "inconclusive")
    arm = entry["workloads"][0]["arms"]["k3"]
    assert (arm["requests"], arm["failed"], arm["ttft_ms"]) == (6, {"http_500": 6}, None)


def test_an_error_event_with_status_200_is_a_failure(tmp_path: Path) -> None:
    def failing(body: dict[str, Any]) -> Iterator[Action]:
        if body.get("disable_spec_decode"):
            return fast(body)
        stream = event(delta(role="assistant")) + event({"error": {"code": 500}}) + event("[DONE]")
        return iter([b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(stream), stream)])

    with FakeServer(failing) as server:
        done = run(tmp_path, "--url", server.url, "--json", *SMALL)
    arms = json.loads(done.stdout)["hosts"][0]["workloads"][0]["arms"]
    assert done.exit_code == 1
    assert (arms["k3"]["failed"], arms["baseline"]["failed"]) == ({"error_event": 6}, {})


def test_nothing_at_the_url_is_a_sentence(tmp_path: Path) -> None:
    with FakeServer(fast) as server:
        pass
    done = run(tmp_path, "--url", server.url, "--json")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "nothing answers at" in done.stderr


def test_another_k_than_the_running_one_is_usage(tmp_path: Path) -> None:
    with FakeServer(fast, health=PLAIN_HEALTH) as server:
        done = run(tmp_path, "--url", server.url, "--k", "3")
    assert done.exit_code == 2
    assert "runs without speculation (k=0)" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("--k", "three"),
        ("--k", "3,"),
        ("--k", "-1"),
        ("--repeat", "0"),
        ("--max-tokens", "1"),
        ("--method", "magic"),
        ("--url", "http://127.0.0.1:1", "spark-01"),
        ("--url", "ftp://127.0.0.1"),
        ("--url", "127.0.0.1:8000"),
        ("--url", "http://user:secret@127.0.0.1:1"),
        ("--url", "http://127.0.0.1:99999"),
        ("--url", "http://[::1"),
        ("--workload", "no-such-file", "--url", "http://127.0.0.1:1"),
        ("--api-key-file", "key", "spark-01"),
    ],
)
def test_wrong_words_are_exit_code_2_without_a_traceback(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = run(tmp_path, *words)
    assert done.exit_code == 2
    assert "Traceback" not in done.output
    assert "secret" not in done.output


def test_the_table_is_readable_at_80_columns_and_has_no_colours(tmp_path: Path) -> None:
    with FakeServer(fast) as server:
        done = run(tmp_path, "--url", server.url, *SMALL)
    assert max(len(line) for line in done.stdout.splitlines() if not line.startswith("Records")) <= 80
    assert "\x1b" not in done.stdout
    for words in ("time to first text", "end to end", "requests failed", "Gain: k3 is", "Verdict:"):
        assert words in done.stdout


def test_a_simulated_server_says_so(tmp_path: Path) -> None:
    with FakeServer(fast, version="0.11.1+lab") as server:
        done = run(tmp_path, "--url", server.url, *SMALL)
    assert "SIMULATED" in done.stdout


def test_a_key_reaches_the_server_and_no_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("sesame-42\n")
    with FakeServer(fast) as server:
        done = run(tmp_path, "--url", server.url, "--api-key-file", "key", *SMALL)
    assert "Authorization: Bearer sesame-42" in server.heads[-1]
    assert "sesame" not in done.output
    assert all("sesame" not in path.read_text() for path in (tmp_path / ".edgeops").rglob("*.json*"))


@pytest.mark.parametrize("content", [b"", b"two words", b"a\nb", b"\xff"])
def test_a_key_file_that_holds_no_key_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "key").write_bytes(content)
    done = run(tmp_path, "--url", "http://127.0.0.1:1", "--api-key-file", "key")
    assert (done.exit_code, "the key file key " in done.stderr) == (1, True)


def test_text_with_half_a_character_is_kept_and_breaks_nothing(tmp_path: Path) -> None:
    def halves(body: dict[str, Any]) -> Iterator[Action]:
        for action in fast(body):
            yield action.replace(b"word", rb"\ud83d") if isinstance(action, bytes) else action

    with FakeServer(halves) as server:
        done = run(tmp_path, "--url", server.url, "--json", "--max-tokens", "4", "--warmup", "0")
    assert "Traceback" not in done.output
    assert json.loads(done.stdout)["hosts"][0]["workloads"][0]["arms"]["k3"]["requests"] == 6


class FakeSession:
    """A session whose host is this machine: it runs the line that a real one would send."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.commands: list[str] = []

    def run(self, command: str, *, stdin: str = "", timeout: float = 60, on_line: Any = None, **_: Any) -> Answer:
        self.commands.append(command)
        words = ["sh", "-c", command]
        done = subprocess.run(words, check=False, input=stdin, text=True, capture_output=True, timeout=timeout)
        for line in done.stdout.splitlines():
            on_line(line)
        return Answer(done.returncode, done.stdout, done.stderr)


def session(port: int, **settings: Any) -> Session:
    made: Any = FakeSession(Host("spark-01", "127.0.0.1", settings=Settings(port=port, **settings)))
    return made


def options(**changes: Any) -> smoke.Options:
    return smoke.Options(sizes=smoke.Options().sizes.__class__(max_tokens=8, warmup=0), **changes)


def test_a_host_is_measured_by_one_line_that_leaves_nothing_behind(tmp_path: Path) -> None:
    told: list[str] = []
    kept = Run("r", tmp_path / "r")
    with FakeServer(fast) as server:
        one = session(server.port, served_name="fake-model")
        entry = smoke.measure(one, options(), kept, told.append)
    assert (entry["host"], entry["server"]["speculative_method"]) == ("spark-01", "dspark")
    assert list(entry["workloads"][0]["arms"]) == ["baseline", "k3"]
    assert all(command.startswith(f"{HOST_PYTHON} -IS -c ") for command in one.commands)  # type: ignore[attr-defined]
    assert (tmp_path / "r" / "records-spark-01.jsonl").is_file()
    assert "measuring, the arms in turns, 12 of 12 requests" in told
    assert smoke.recompute(tmp_path / "r") == smoke.document("r", [entry])


def test_a_host_whose_server_is_down_is_a_sentence_with_a_remedy(tmp_path: Path) -> None:
    with FakeServer(fast) as server:
        pass
    with pytest.raises(EdgeopsError, match=r"spark-01: nothing answers at 127\.0\.0\.1") as failed:
        smoke.measure(session(server.port), options(), Run("r", tmp_path), print)
    assert "edgeops deploy spark-01" in failed.value.remedy


def test_a_host_that_runs_another_k_is_refused(tmp_path: Path) -> None:
    with FakeServer(fast) as server, pytest.raises(ConfigurationError, match="runs k=5"):
        smoke.measure(session(server.port, k=5), options(k=(3,)), Run("r", tmp_path), print)


def test_a_host_without_python_is_a_sentence(tmp_path: Path) -> None:
    class NoPython(FakeSession):
        def run(self, command: str, **_: Any) -> Answer:
            return Answer(127, "", "sh: 1: /usr/bin/python3: not found")

    bare: Any = NoPython(Host("spark-01", "127.0.0.1"))
    with pytest.raises(EdgeopsError, match="exit code 127: sh: 1: /usr/bin/python3: not found"):
        smoke.measure(bare, options(), Run("r", tmp_path), print)


@pytest.mark.parametrize(
    ("url", "address", "port", "root", "tls"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1", 8000, "", False),
        ("http://localhost/", "localhost", 80, "", False),
        ("https://box/v1", "box", 443, "", True),
        ("http://[::1]:8000/llm/v1/chat/completions", "::1", 8000, "/llm", False),
    ],
)
def test_a_url_leads_to_a_server(url: str, address: str, port: int, root: str, tls: bool) -> None:
    found = target_of(url)
    assert (found.address, found.port, found.root, found.tls) == (address, port, root, tls)


def test_a_server_that_hangs_is_given_up_with_its_reason(tmp_path: Path) -> None:
    sizes = smoke.Options().sizes.__class__(max_tokens=8, deadline_s=0.3)
    with FakeServer(lambda _: iter(["stall"])) as server:
        entry = smoke.by_url(server.url, smoke.Options(sizes=sizes), Run("r", tmp_path / "r"), print)
    arms = entry["workloads"][0]["arms"]
    assert {name: arm["failed"] for name, arm in arms.items()} == {"baseline": {"deadline": 1}, "k3": {"deadline": 1}}
    assert smoke.exit_code(smoke.document("r", [entry])) == 1
