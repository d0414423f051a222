"""Run one of our stdlib-only programs on a host: source and plan travel on standard input, nothing is left there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edgeops.engine.session import Session
from edgeops.errors import EdgeopsError
from edgeops.locations import DEPLOYS
from edgeops.quoting import shell
from edgeops.snapshot import Answer

HOST_PYTHON = "/usr/bin/python3"
LOADER = (
    "import json,sys;given=json.loads(sys.stdin.buffer.readline());"
    "exec(compile(given['source'],given['name'],'exec'),{'__name__':'__main__','PLAN':given['plan']})"
)
"""The host's side: one line of JSON holds the program and its plan."""
_TOGETHER = DEPLOYS / "on_host" / "together.py"


@dataclass(frozen=True)
class Program:
    """One of our programs for a host, and what it is to do."""

    path: Path
    plan: dict[str, Any]


def run_script(
    session: Session,
    program: Path,
    plan: dict[str, Any],
    on_event: Callable[[dict[str, Any]], None],
    *,
    timeout: float,
    python: str = HOST_PYTHON,
    sudo: bool = False,
    user: str | None = None,
) -> Answer:
    """Run ``program`` with ``plan``; each line of JSON that it prints is an event. Other lines are passed over."""
    source = program.read_text(encoding="utf-8")
    given = json.dumps({"name": program.name, "source": source, "plan": plan})

    def hear(line: str) -> None:
        try:
            event = json.loads(line)
        except ValueError:
            return
        if isinstance(event, dict):
            on_event(event)

    # Without the distribution's packages, which our programs do not use, Python starts in half the time.
    isolated = "-IS" if python == HOST_PYTHON else "-I"
    command = shell(python, isolated, "-c", LOADER)
    return session.run(command, sudo=sudo, user=user, stdin=given + "\n", timeout=timeout, on_line=hear)


def run_together(
    session: Session, programs: Mapping[str, Program], *, timeout: float, sudo: bool = False
) -> dict[str, dict[str, Any]]:
    """Run several programs in one command. Returns the last JSON object that each printed, by the program's key.

    Raises EdgeopsError where one did not answer.
    """
    plan = {
        key: {"name": program.path.name, "source": program.path.read_text(encoding="utf-8"), "plan": program.plan}
        for key, program in programs.items()
    }
    heard: dict[str, dict[str, Any]] = {}

    def hear(event: dict[str, Any]) -> None:
        heard[str(event.get("program"))] = event

    answer = run_script(session, _TOGETHER, plan, hear, timeout=timeout, sudo=sudo)
    for key, program in programs.items():
        if key not in heard or heard[key].get("error"):
            said = heard.get(key, {}).get("error") or _last_line(answer.err or answer.out)
            raise EdgeopsError(f"{program.path.name} did not answer on the host: {said}")
    return {key: _last_object(heard[key].get("lines")) for key in programs}


def _last_object(lines: object) -> dict[str, Any]:
    for line in reversed(lines if isinstance(lines, list) else []):
        try:
            found = json.loads(line)
        except (TypeError, ValueError):
            continue
        if isinstance(found, dict):
            return found
    return {}


def _last_line(text: str) -> str:
    return text.strip().splitlines()[-1][:200] if text.strip() else "it said nothing"
