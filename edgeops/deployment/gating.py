"""What a verified service must show before it may stay: its measurement, and the gates on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edgeops import history, smoke
from edgeops.deployment.context import StartFailed, Work

SLOWER = 0.95
"""Surely below this share of its last accepted speed, a service goes back. Less is noise between two measurements."""
_HARMFUL = ("known_answers", "repetition")
"""Guards of the benchmark that mean: this service must not go on, however quick it is."""

Result = Mapping[str, Any]


def measure_and_gate(work: Work) -> None:
    """Measure the service unless nobody wants that, and raise StartFailed where it must go back."""
    if work.options.smoke == "never":
        return
    with work.log.phase("smoke") as notes:
        measured = smoke.measure(work.session, smoke.Options(), run=work.run, tell=notes.say)
        work.report.smoke = history.judged(measured, work.run, work.options.gates)
        notes.detail = str(measured.get("verdict"))
    with work.log.phase("gate") as notes:
        if problem := refusal(work.report.smoke):
            raise StartFailed(problem, f"Read the measurement: `edgeops report {work.run.name}`.")
        work.options.gate(work)
        notes.detail = _passed(work.report.smoke)


def refusal(result: Result) -> str | None:
    """Why a service with this measurement must not stay, in a sentence; None where nothing speaks against it."""
    if not smoke.succeeded(dict(result)):
        return "every request of an arm failed"
    failed = [guard for guard in result["guards"] if guard["id"] in _HARMFUL and guard["ok"] is False]
    if failed:
        return f"the gate {failed[0]['id']} failed: {failed[0]['detail']}"
    broken = [gate for gate in result.get("gates", ()) if not gate["ok"]]
    if broken:
        return f"the gate {broken[0]['gate']} failed: {broken[0]['detail']}"
    return _slowdown(result)


def _slowdown(result: Result) -> str | None:
    """Slower than its own last accepted smoke, arm for arm and surely."""
    last = result.get("regression") or {}
    for workload in last.get("workloads", ()):
        for arm, change in workload["arms"].items():
            if change["hi"] is not None and change["hi"] < SLOWER:
                span = f"{change['lo']:.2f}x to {change['hi']:.2f}x"
                before = change.get("against_arm", arm)
                whose = "its last accepted speed" if before == arm else f"the last accepted speed, of {before}"
                return f"{arm} is {change['ratio']:.2f}x {whose} ({span}, run {last['against']})"
    return None


def _passed(result: Result) -> str:
    last = result.get("regression")
    return f"{last['verdict']} against run {last['against']}" if last else "no earlier smoke to compare with"
