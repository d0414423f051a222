"""Asking the program that tries settings on a host (deploys/on_host/trial.py)."""

from __future__ import annotations

from typing import Any

from edgeops import layout
from edgeops.engine import Session
from edgeops.engine.script import run_script
from edgeops.errors import EdgeopsError
from edgeops.locations import DEPLOYS

PROGRAM = DEPLOYS / "on_host" / "trial.py"
_PLACES = {
    "unit": layout.UNIT,
    "directory": layout.TRIAL,
    "timer": layout.TRIAL_TIMER,
    "drop_in": layout.TRIAL_DROP_IN,
}


def ask(session: Session, verb: str, *, timeout: float = 60, **plan: Any) -> dict[str, Any]:
    """The program's one answer. Raises EdgeopsError where it has none."""
    answers: dict[str, Any] = {}
    answer = run_script(session, PROGRAM, {**_PLACES, **plan, "verb": verb}, answers.update, timeout=timeout, sudo=True)
    if "event" not in answers:
        reason = (answer.err or answer.out).strip().splitlines()
        raise EdgeopsError(f"the host did not answer ({verb}): {reason[-1] if reason else f'exit {answer.rc}'}")
    return answers
