"""The sampler: what it reads of the tools' lines, and that it says it beside a probe that is really run."""

from __future__ import annotations

import ast
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edgeops.bench import procedure, sampler
from edgeops.bench.records import Conditions, Request, Samples
from edgeops.smoke.local import run_probe
from tests.unit.bench.fake_server import HEAD, Action, FakeServer, chunk, delta, event, generation

SOURCE = Path(sampler.__file__).read_text(encoding="utf-8")

LINES: dict[str, tuple[str, dict[str, float]]] = {
    "a Spark": (
        "2405, 38.50, 55, 0x0000000000000001",
        {"sm_mhz": 2405, "power_w": 38.5, "temperature_c": 55, "reasons": 1},
    ),
    "an Orin": ("[N/A], [N/A], [N/A], [N/A]", {}),
    "no power": ("1575, [N/A], 48, 0x0000000000000024", {"sm_mhz": 1575, "temperature_c": 48, "reasons": 0x24}),
    "not supported": ("[Not Supported], [Unknown Error], N/A, Active", {}),
    "half a line": ("2405, 38.5", {}),
    "hostile": ("9e999, -1, 1_0, 0xzz", {}),
    "nothing": ("", {}),
}


@pytest.mark.parametrize("name", LINES)
def test_a_line_of_nvidia_smi_gives_what_it_holds(name: str) -> None:
    line, values = LINES[name]
    assert sampler.gpu_values(line) == values


THOR = (
    "07-31-2026 14:45:55 RAM 86905/125772MB (lfb 368x4MB) CPU [12%@972,off] cpu@39.812C tj@39.906C gpu@39.906C "
    "VDD_GPU 3561mW/3561mW VDD_CPU_SOC_MSS 7910mW/7910mW VIN 26686mW/26686mW"
)
ORIN = "RAM 4210/7620MB CPU [12%@1344] GR3D_FREQ 96%@[1013] cpu@49.8C gpu@48.5C VDD_IN 14210mW/14210mW"


@pytest.mark.parametrize(
    ("line", "values"),
    [
        (THOR, {"temperature_c": 39.906, "power_w": 3.561}),
        (ORIN, {"sm_mhz": 1013.0, "temperature_c": 48.5, "power_w": 14.21}),
        ("GR3D_FREQ 0%@306", {"sm_mhz": 306.0}),
        ("no such line", {}),
    ],
)
def test_a_line_of_tegrastats_gives_what_its_board_tells(line: str, values: dict[str, float]) -> None:
    assert sampler.tegra_values(line) == values


def test_the_sampler_runs_on_the_oldest_python_that_hosts_have() -> None:
    nodes = [node for node in ast.walk(ast.parse(SOURCE, feature_version=(3, 8))) if isinstance(node, ast.Import)]
    assert {alias.name for node in nodes for alias in node.names} <= set(sys.stdlib_module_names)


NEW = """#!/bin/sh
case "$*" in *compute-apps*) echo '4242, trainer'; exit 0 ;; esac
while :; do echo '2405, 38.50, 55, 0x0000000000000020'; case "$*" in *-lms*) sleep 0.05 ;; *) exit 0 ;; esac; done
"""
OLD = NEW.replace(
    "while :", "case \"$*\" in *event_reasons*) echo 'Field is not a valid field to query.'; exit 2 ;; esac\nwhile :"
)
NOISE = NEW.replace("2405, 38.50, 55, 0x0000000000000020", "Unable to determine the device handle")


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Puts a program called nvidia-smi first in the search path."""

    def put(text: str) -> None:
        path = tmp_path / "nvidia-smi"
        path.write_text(text)
        path.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    return put


class Heard:
    """What a probe said while it sent ``times`` requests and looked at this machine."""

    def __init__(self, server: FakeServer, *, times: int = 2, floor_kib: int = 1, seconds: float = 120) -> None:
        step = {"do": "request", "phase": "timed", "arm": "k3", "workload": "chat", "prompt": "p"}
        plan = {
            "address": "127.0.0.1",
            "port": server.port,
            "prompts": {"p": [{"role": "user", "content": "Hello."}]},
            "fields": {"stream": True},
            "arms": {"k3": {}},
            "steps": [step] * times,
            "deadline_s": 20.0,
            "total_s": 120,
            "sampling": {"source": SOURCE, "interval_s": 0.1, "floor_kib": floor_kib},
        }
        said: list[dict[str, Any]] = []
        answer = run_probe(plan, said.append, seconds)
        assert (answer.rc, answer.err) == (0, "")
        self.kinds = [line["kind"] for line in said]
        self.requests = [Request.model_validate(line) for line in said if line["kind"] == "request"]
        batches = [Samples.model_validate(line) for line in said if line["kind"] == "samples"]
        self.samples = [sample for batch in batches for sample in batch.samples]
        self.conditions = [Conditions.model_validate(line) for line in said if line["kind"] == "conditions"]
        self.end = said[-1]


def slow(_: dict[str, Any]) -> Iterator[Action]:
    return generation([1, 1, 1], first_s=0.6, step_s=0.1)


def test_samples_are_taken_while_requests_run_and_told_between_them(tool: Any) -> None:
    tool(NEW)
    with FakeServer(slow) as server:
        heard = Heard(server)
    begin, end = heard.requests[0].sent_ns, heard.requests[1].sent_ns + heard.requests[1].wall_ns
    inside = [sample for sample in heard.samples if begin <= sample.t <= end]
    assert len(inside) >= 3
    assert [sample.t for sample in heard.samples] == sorted(sample.t for sample in heard.samples)
    assert all(sample.mem_available_kib for sample in heard.samples)
    assert heard.samples[-1].busy_s is not None
    last = heard.samples[-1]
    assert (last.sm_mhz, last.power_w, last.temperature_c, last.reasons) == (2405.0, 38.5, 55.0, 0x20)
    assert "samples" in heard.kinds[heard.kinds.index("request") : -1]


def test_the_machine_is_described_before_and_after(tool: Any) -> None:
    tool(NEW)
    with FakeServer(slow) as server:
        heard = Heard(server, times=1)
    assert [condition.when for condition in heard.conditions] == ["before", "after"]
    users = [condition.gpu_users for condition in heard.conditions]
    assert [[(user.pid, user.name, user.ours) for user in found or ()] for found in users] == [
        [(4242, "trainer", False)]
    ] * 2


def test_the_older_name_of_the_reasons_is_tried(tool: Any) -> None:
    tool(OLD)
    with FakeServer(slow) as server:
        assert Heard(server).samples[-1].reasons == 0x20


@pytest.mark.parametrize("text", [NOISE, "#!/bin/sh\nexit 9\n", "not a program"])
def test_a_tool_that_says_nothing_useful_costs_its_values_only(tool: Any, text: str) -> None:
    tool(text)
    with FakeServer(slow) as server:
        heard = Heard(server)
    assert [sample.sm_mhz for sample in heard.samples] == [None] * len(heard.samples)
    assert len(heard.samples) >= 3
    assert heard.end["complete"]


def test_low_memory_ends_the_request_under_way_and_the_run(tool: Any) -> None:
    tool(NEW)

    def endless(_: dict[str, Any]) -> Iterator[Action]:
        yield HEAD
        yield chunk(event(delta(content="x ")))
        yield "stall"

    with FakeServer(endless) as server:
        heard = Heard(server, times=5, floor_kib=10**12)
    assert (heard.end["complete"], heard.end["because"]) == (False, "memory")
    assert len(heard.requests) <= 1
    assert all("too little memory" in request.detail for request in heard.requests)


NOTED = NEW.replace("#!/bin/sh\n", '#!/bin/sh\necho $$ >> "$0.pids"\n')


def alive(directory: Path) -> list[str]:
    pids = (directory / "nvidia-smi.pids").read_text().split()
    assert len(pids) >= 2
    return [pid for pid in pids if Path(f"/proc/{pid}").exists()]


def test_nothing_is_left_running_afterwards(tool: Any, tmp_path: Path) -> None:
    tool(NOTED)
    with FakeServer(slow) as server:
        Heard(server)
    assert alive(tmp_path) == []


def test_a_probe_that_is_killed_leaves_nothing_running(tool: Any, tmp_path: Path) -> None:
    tool(NOTED)

    def endless(_: dict[str, Any]) -> Iterator[Action]:
        yield "stall"

    with FakeServer(endless) as server, pytest.raises(AssertionError):
        Heard(server, seconds=1.5)
    until = time.monotonic() + 20
    while alive(tmp_path) and time.monotonic() < until:
        time.sleep(0.05)
    assert alive(tmp_path) == []


def test_a_run_without_sampling_starts_no_other_process() -> None:
    assert procedure._sampling(None) is None
