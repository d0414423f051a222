"""How the probe reaches the machine on which it runs: as text on standard input, so that nothing is written there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LOADER = (
    "import json,sys;"
    "given=json.loads(sys.stdin.readline());"
    "exec(compile(given['source'],'edgeops-probe','exec'),{'__name__':'__main__','PLAN':given['plan']})"
)
"""Reads one line ``{"source": …, "plan": …}``. The plan may hold a key: standard input is not shown in /proc."""


def command(python: str = "/usr/bin/python3") -> tuple[str, ...]:
    """The words that start the probe: isolated from the user's site packages and environment (``-I``)."""
    return (python, "-I", "-c", LOADER)


def standard_input(plan: dict[str, Any]) -> str:
    """The one line that the loader reads."""
    source = Path(__file__).with_name("probe.py").read_text(encoding="utf-8")
    return json.dumps({"source": source, "plan": plan}) + "\n"
