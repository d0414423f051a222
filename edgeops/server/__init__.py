"""The one door to a running server's HTTP: wait until it answers, then prove that it is the one asked for and
generates.

Questions are asked on the host itself, by a small program sent over SSH, since the server listens on loopback only.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from edgeops import layout
from edgeops.engine import Session
from edgeops.engine.script import Program, run_script
from edgeops.server.causes import Cause, likely_cause
from edgeops.server.health import Health, health_in
from edgeops.server.proof import QUESTION, Expected, Proof, judge, request

__all__ = [
    "QUESTION",
    "Endpoint",
    "Expected",
    "Health",
    "Proof",
    "Readiness",
    "await_ready",
    "health_in",
    "health_program",
    "prove",
]

HEALTH_TIMEOUT_S = 5.0
GENERATION_TIMEOUT_S = 120.0
_PROGRAM = Path(__file__).with_name("on_host.py")


@dataclass(frozen=True)
class Endpoint:
    """Where a server listens, as seen on its host. ``keyed``: it wants the API key that lies in /etc/edgeops."""

    address: str
    port: int
    keyed: bool = False

    @property
    def plan(self) -> dict[str, Any]:
        """For the program on the host. A wildcard address is asked through loopback."""
        address = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.address, self.address)
        return {"address": address, "port": self.port, "key_file": layout.KEY_FILE if self.keyed else None}


@dataclass(frozen=True)
class Readiness:
    """How waiting ended. ``log`` holds the unit's last lines where it did not end well."""

    outcome: Literal["ready", "died", "timeout"]
    unit: dict[str, str] = field(default_factory=dict)
    log: tuple[str, ...] = ()

    @property
    def cause(self) -> Cause:
        """Why the server died, as far as its own words tell."""
        return likely_cause(self.log, self.unit.get("ExecMainStatus", ""))


def await_ready(
    session: Session, endpoint: Endpoint, timeout_s: float, on_progress: Callable[[str], None]
) -> Readiness:
    """Poll ``/health/ready`` until the unit answers, dies or ``timeout_s`` has passed; ``on_progress`` gets journal
    lines."""
    ended: dict[str, Any] = {}

    def hear(event: dict[str, Any]) -> None:
        if event.get("event") == "progress":
            on_progress(str(event.get("line", "")))
        else:
            ended.update(event)

    plan = {**endpoint.plan, "verb": "wait", "unit": layout.UNIT, "timeout": timeout_s}
    answer = run_script(session, _PROGRAM, plan, hear, timeout=timeout_s + 60, sudo=True)
    outcome = ended.get("event", "died")
    log = tuple(ended.get("log", ())) or tuple(answer.err.splitlines()[-20:] if outcome != "ready" else ())
    return Readiness(outcome, ended.get("unit", {}), log)


def health_program(endpoint: Endpoint) -> Program:
    """The program that asks a server how it is, to be run beside others; ``health_in`` reads its answer."""
    return Program(_PROGRAM, {**endpoint.plan, "verb": "health", "timeout": HEALTH_TIMEOUT_S})


def prove(session: Session, endpoint: Endpoint, expected: Expected) -> Proof:
    """Ask ``/health``, ``/v1/models`` and one streamed greedy generation, and judge the answers."""
    answers: dict[str, Any] = {}
    plan = {
        **endpoint.plan,
        "verb": "question",
        "request": request(expected.name),
        "timeout": GENERATION_TIMEOUT_S,
    }
    answer = run_script(session, _PROGRAM, plan, answers.update, timeout=GENERATION_TIMEOUT_S + 60, sudo=endpoint.keyed)
    if not answers:
        return Proof((f"the questions could not be asked: {(answer.err or json.dumps(answer.out))[-300:]}",))
    return judge(answers, expected)
