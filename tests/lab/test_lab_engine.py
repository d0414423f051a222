"""The stand-in on a host: real pip, the vendor's payload selection and server, an engine at its published pace."""

from __future__ import annotations

import json
import statistics
import time
from dataclasses import dataclass

import pytest
import requests

pytestmark = pytest.mark.lab

MODEL = "/opt/lab/models/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4"
VENV = "/srv/lab/venv"
CLOCK = "/var/lib/trtedge/lab-engine.jsonl"
PROBE = f'{VENV}/bin/python -c "from tensorrt_edgellm._native.load import resolve_payload as r; print(r().variant_id)"'


def install(host, requirement, *options, venv=VENV):
    """A virtual environment as deploy makes one, filled by the host's pip."""
    host.said(f"sudo install -d -o nvidia /srv/lab /var/lib/trtedge && python3 -m venv --system-site-packages {venv}")
    host.said(f"{venv}/bin/python -m pip install --quiet {' '.join(options)} '{requirement}'")


@pytest.fixture(scope="module")
def spark(lab):
    host = lab.host("engine-01")
    install(host, "tensorrt-edgellm[server]==0.11.1")
    yield host
    lab.drop("engine-01")


@dataclass(frozen=True)
class Server:
    """A server of the host, as a transient unit of the login user."""

    host: object
    port: int = 8000
    venv: str = VENV

    @property
    def url(self):
        return f"http://{self.host.address}:{self.port}"

    def start(self, k=3, command=("trtedge", "serve")):
        spec = json.dumps({"method": "dspark", "model": f"{MODEL}-DSpark", "num_speculative_tokens": k}) if k else ""
        where = f"--host {self.host.address} --port {self.port} --cache-dir /srv/lab/cache"
        words = f"{MODEL} {where} --speculative-config '{spec}'"
        run = "sudo systemd-run --quiet --unit=engine --uid=nvidia --working-directory=/ --setenv=HOME=/srv/lab"
        self.host.said(f"{run} {self.venv}/bin/{' '.join(command)} {words}")

    def wait(self, limit=60):
        deadline = time.monotonic() + limit
        while self.state() == "active":
            try:
                return requests.get(f"{self.url}/health/ready", timeout=5).raise_for_status()
            except requests.ConnectionError:
                assert time.monotonic() < deadline, self.log()
                time.sleep(0.1)
        raise AssertionError(self.log())

    def state(self):
        return self.host.ssh("systemctl is-active engine").stdout.strip()

    def stop(self):
        self.host.ssh("sudo systemctl stop engine; sudo systemctl reset-failed engine")

    def log(self):
        return self.host.said("sudo journalctl --no-pager -o cat -u engine")

    def ask(self, prompt, **fields):
        body = {"messages": [{"role": "user", "content": prompt}], "temperature": 0, "max_tokens": 128, **fields}
        return requests.post(
            f"{self.url}/v1/chat/completions", json=body, timeout=60, stream=bool(fields.get("stream"))
        )

    def events(self, prompt, **fields):
        lines = self.ask(prompt, stream=True, stream_options={"include_usage": True}, **fields).iter_lines()
        data = [line.removeprefix(b"data: ") for line in lines if line]
        assert data.pop() == b"[DONE]"
        return [json.loads(one) for one in data]

    def clock(self):
        return [json.loads(line) for line in self.host.said(f"cat {CLOCK}").splitlines()]


@pytest.fixture
def server(spark):
    running = Server(spark)
    running.start()
    running.wait()
    yield running
    running.stop()


def test_the_vendors_own_selection_finds_the_payload_of_the_platform(spark):
    assert spark.said(PROBE) == "dgx-spark-cu13-sm121"
    assert spark.said(f"{VENV}/bin/python -c 'from tensorrt_edgellm import runtime; print(runtime.load().__name__)'")


def test_pip_knows_the_stand_in_for_what_it_is(spark):
    shown = spark.said(f"{VENV}/bin/python -m pip show tensorrt-edgellm")
    assert "Version: 0.11.1+lab" in shown
    assert "STAND-IN" in shown
    assert "stand-in" in spark.said(f"{VENV}/bin/trtedge --version")


def test_the_server_says_that_dspark_is_on_and_which_version_it_is(server):
    health = requests.get(f"{server.url}/health", timeout=5).json()
    assert (health["capabilities"]["speculative_decoding"], health["capabilities"]["speculative_method"]) == (
        True,
        "dspark",
    )
    assert requests.get(f"{server.url}/openapi.json", timeout=5).json()["info"]["version"] == "0.11.1+lab"
    assert "Speculative decoding enabled (top_k=1, step=1, verify_size=4" in server.log()


def test_a_known_answer_comes_streamed_with_usage_and_a_reason(server):
    events = server.events("What is the capital of France?", max_tokens=12)
    text = "".join(choice["delta"]["content"] or "" for event in events for choice in event["choices"])
    assert text.startswith("Paris")
    assert [choice["finish_reason"] for event in events for choice in event["choices"]][-1] == "length"
    assert events[-1]["usage"]["completion_tokens"] == 12


def paces(server, **fields):
    """Decode rates and times to the first token, in tok/s and ms, by the engine's own clock."""
    before = len(server.clock())
    prompts = [f"Task {number}: " + "x" * (455 - len(f"Task {number}: ")) for number in range(4)]
    for prompt in prompts:
        assert server.ask(prompt, **fields).json()["usage"] == {
            "prompt_tokens": 139,
            "completion_tokens": 128,
            "total_tokens": 267,
        }
    records = server.clock()[before:]
    rates = [127e9 / (one["steps"][-1][0] - one["steps"][0][0]) for one in records]
    firsts = [(one["steps"][0][0] - one["seen_ns"]) / 1e6 for one in records]
    return statistics.median(rates), statistics.median(firsts)


def test_the_engines_own_clock_shows_the_published_pace(server):
    rate, first = paces(server)
    assert (rate, first) == (pytest.approx(126.9, rel=0.02), pytest.approx(98.7, rel=0.05))
    rate, first = paces(server, disable_spec_decode=True)
    assert (rate, first) == (pytest.approx(73.4, rel=0.02), pytest.approx(98.1, rel=0.05))


def test_knobs_turn_while_it_runs(server):
    server.host.set(ttft_ms=400, spec_tok_s=1000)
    try:
        server.ask("hello")
        assert server.clock()[-1]["steps"][0][0] - server.clock()[-1]["seen_ns"] >= 400e6
        server.host.set(fail="error_before")
        assert server.ask("hello").status_code == 500
        server.host.set(fail="error_mid")
        assert '"error"' in server.ask("hello", stream=True).text
    finally:
        server.host.set(ttft_ms="", spec_tok_s="", fail="")
    assert server.ask("hello", max_tokens=4).status_code == 200


def test_a_wrong_count_of_candidates_is_refused_by_the_vendor(spark):
    server = Server(spark)
    server.start(k=9)
    with pytest.raises(AssertionError, match=r"within the compiled proposal capacity \[1, 8\]"):
        server.wait()
    server.stop()


def test_an_engine_that_cannot_load_ends_the_server_with_its_reason(spark):
    spark.set(fail="load_always")
    server = Server(spark)
    try:
        server.start()
        with pytest.raises(AssertionError, match="simulated: fail=load_always"):
            server.wait()
    finally:
        spark.set(fail="")
        server.stop()


def test_a_stopped_server_ends_cleanly(server):
    server.host.said("sudo systemctl kill --signal=TERM --wait engine || true; sudo systemctl stop engine")
    assert "Finished server process" in server.log()


def test_the_service_is_seen_among_the_gpus_users(server):
    assert VENV in server.host.said(
        "nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv,noheader"
    )


@pytest.mark.parametrize(
    ("requirement", "command"),
    [
        ("tensorrt-edgellm[server]==0.11.0", ("tensorrt-edgellm-serve",)),
        ("tensorrt-edgellm[runtime]==0.12.0", ("edgellm", "serve")),
    ],
)
def test_the_other_versions_serve_by_their_own_names(spark, requirement, command):
    venv = f"/srv/lab/{command[0]}"
    install(spark, requirement, "--no-deps", venv=venv)
    spark.said(f"echo {VENV}/lib/python3.11/site-packages > {venv}/lib/python3.11/site-packages/dependencies.pth")
    server = Server(spark, venv=venv)
    server.start(command=command)
    server.wait()
    answer = server.ask("What is 2+2?", max_tokens=4).json()["choices"][0]["message"]["content"]
    version = requests.get(f"{server.url}/openapi.json", timeout=5).json()["info"]["version"]
    server.stop()
    assert answer.startswith("4")
    assert version == f"{requirement.rpartition('=')[2]}+lab"


@pytest.mark.parametrize(
    ("name", "variant"), [("thor-03", "jetson-thor-jp72-cu13-sm110"), ("orin-03", "jetson-orin-jp72-cu13-sm87")]
)
def test_a_jetson_gets_its_own_payload(lab, name, variant):
    host = lab.host(name)
    install(host, "tensorrt-edgellm[server]==0.11.1", "--no-deps")
    assert host.said(PROBE) == variant
    lab.drop(name)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("oem-name", "found 0"),
        ("tensorrt-11", "found 0"),
        ("no-cudart", "Required system library 'cudart' was not found"),
        ("no-tensorrt", "TensorRT Python bindings are required"),
    ],
)
def test_the_vendors_selection_fails_on_a_faulty_host(lab, fault, words):
    host = lab.host("odd", fault)
    install(host, "tensorrt-edgellm[server]==0.11.1", "--no-deps")
    answer = host.ssh(PROBE)
    lab.drop("odd")
    assert answer.returncode == 1
    assert words in answer.stderr
