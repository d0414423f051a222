"""Run one of our stdlib-only programs on a host: source and plan travel on standard input, nothing is left there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from edgeops.engine.session import Session
from edgeops.quoting import shell
from edgeops.snapshot import Answer

HOST_PYTHON = "/usr/bin/python3"
LOADER = (
    "import json,sys;given=json.loads(sys.stdin.buffer.readline());"
    "exec(compile(given['source'],given['name'],'exec'),{'__name__':'__main__','PLAN':given['plan']})"
)
"""The host's side: one line of JSON holds the program and its plan."""


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

    command = shell(python, "-I", "-c", LOADER)
    return session.run(command, sudo=sudo, user=user, stdin=given + "\n", timeout=timeout, on_line=hear)
