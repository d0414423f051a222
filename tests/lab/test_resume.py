"""A rollout whose control process was killed: it goes on where it was, and nothing is done twice."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack

import pytest

from tests.lab.commands import outcomes, running_k

pytestmark = pytest.mark.lab

NAMES = ("spark-k1", "thor-k1")
BOTH = ",".join(NAMES)
KILLED_IN = ["probe", "plan", "lock", "prove", "stage", "switch", "ready", "verify", "record"]


@pytest.fixture(scope="module")
def hosts(lab, commands):
    made = {name: lab.host(name) for name in NAMES}
    assert commands.json("deploy", BOTH, "--no-smoke")["ok"]
    yield made
    for name in NAMES:
        lab.drop(name)


def both_with(commands, **settings: object) -> ExitStack:
    changed = ExitStack()
    for name in NAMES:
        changed.enter_context(commands.settings(name, **settings))
    return changed


def rollouts(commands) -> set[str]:
    return {path.parent.name for path in (commands.directory / ".edgeops/runs").glob("*/rollout.json")}


def times_deployed(commands) -> dict[str, int]:
    told = commands.json("audit", BOTH)["hosts"]
    return {host["host"]: sum(entry["outcome"] == "deployed" for entry in host["entries"]) for host in told}


def await_phase(events, running, phase: str) -> None:
    """Until the journal says that ``phase`` began on a host, or the run is over before it could be caught."""
    until = time.monotonic() + 60
    while running.process.poll() is None and time.monotonic() < until:
        text = events.read_text() if events.exists() else ""
        if any(json.loads(line).get("name") == phase for line in text.splitlines() if line.endswith("}")):
            return
        time.sleep(0.005)
    assert running.process.poll() is not None


@pytest.mark.parametrize("phase", KILLED_IN)
def test_a_run_that_was_killed_goes_on_where_it_was(hosts, commands, phase) -> None:
    k = 4 + KILLED_IN.index(phase) % 3  # another than the test before has left
    events = commands.directory / f"events-{phase}.jsonl"
    changed, before = times_deployed(commands), rollouts(commands)
    with both_with(commands, k=k):
        with commands.started("deploy", BOTH, "--batches", "1", "--no-smoke", "--events", str(events)) as running:
            await_phase(events, running, phase)
            running.process.kill()
            running.finish()
        (run,) = rollouts(commands) - before
        document = commands.json("deploy", "--resume", run)
        assert document["run"] == run
        assert set(outcomes(document).values()) <= {"deployed", "unchanged"}
        assert [running_k(host) for host in hosts.values()] == [k, k]
        assert all(count <= changed[name] + 1 for name, count in times_deployed(commands).items())
        assert outcomes(commands.json("deploy", BOTH, "--no-smoke")) == dict.fromkeys(NAMES, "unchanged")


def test_a_resumed_run_refuses_settings_that_moved(hosts, commands) -> None:
    with both_with(commands, k=7):
        refused = commands.run("deploy", "--resume", max(rollouts(commands)))
    assert refused.returncode == 2
    assert "changed since the rollout began" in refused.stderr
