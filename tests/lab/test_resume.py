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
KILLED_IN = [("probe", "plan", "lock", "prove", "stage", "switch"), ("ready",), ("verify",), ("record",)]
"""Several times in one run as long as nothing is switched; afterwards the next run does not get to the same phase."""


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


def kill_in(phase: str, commands, *words: str) -> None:
    """Run ``words`` until the journal says that ``phase`` began on a host, then end it as a power cut would."""
    events = commands.directory / f"events-{time.monotonic_ns()}.jsonl"
    with commands.started(*words, "--events", str(events)) as running:
        until = time.monotonic() + 60
        while phase not in begun(events):
            assert running.process.poll() is None, f"over before {phase}: {running.finish()}"
            assert time.monotonic() < until
            time.sleep(0.005)
        running.process.kill()
        running.finish()


def begun(events) -> set[str]:
    lines = events.read_text().splitlines() if events.exists() else []
    return {json.loads(line).get("name") for line in lines if line.endswith("}")}


@pytest.mark.parametrize("phases", KILLED_IN, ids="-".join)
def test_a_run_that_was_killed_again_and_again_goes_on_where_it_was(hosts, commands, phases) -> None:
    k = 4 + KILLED_IN.index(phases) % 3  # another than the test before has left
    changed, before = times_deployed(commands), rollouts(commands)
    with both_with(commands, k=k):
        words = ("deploy", BOTH, "--batches", "1", "--no-smoke")
        for phase in phases:
            kill_in(phase, commands, *words)
            (run,) = rollouts(commands) - before
            words = ("deploy", "--resume", run)
        document = commands.json(*words)
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
