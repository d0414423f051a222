"""What a verified service must show before it may stay: its measurement, and the gates on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edgeops import smoke
from edgeops.deployment.context import StartFailed, Work

_HARMFUL = ("known_answers", "repetition")
"""Guards of the benchmark that mean: this service must not go on, however quick it is."""


def measure_and_gate(work: Work) -> None:
    """Measure the service unless nobody wants that, and raise StartFailed where it must go back."""
    if work.options.smoke == "never":
        return
    with work.log.phase("smoke") as notes:
        if not work.settings.speculative:
            notes.skip("plain decoding: there is nothing to compare")
            return
        result = smoke.measure(work.session, smoke.Options(), run=work.run, tell=notes.say)
        work.report.smoke = result
        notes.detail = str(result.get("verdict"))
    with work.log.phase("gate"):
        if problem := harm(result):
            raise StartFailed(problem, "Read the measurement: `edgeops report " + work.run.name + "`.")
        work.options.gate(work)


def harm(result: Mapping[str, Any]) -> str | None:
    """Why a service with this measurement must not stay, in a sentence; None where nothing speaks against it."""
    if not smoke.succeeded(dict(result)):
        return "every request of an arm failed"
    failed = [guard for guard in result["guards"] if guard["id"] in _HARMFUL and guard["ok"] is False]
    return f"the gate {failed[0]['id']} failed: {failed[0]['detail']}" if failed else None
