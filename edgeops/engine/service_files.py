"""The files that a service runs from, as command lines: kept aside, put back, restarted. Deploy files run them."""

from __future__ import annotations

from edgeops import layout
from edgeops.quoting import shell

SERVED = (layout.UNIT_FILE, layout.ENVIRONMENT_FILE, layout.KEY_FILE, layout.CURRENT)
"""What a switch replaces: unit, environment, key and the link to the release."""

RESTART = (
    "systemctl daemon-reload",
    f"systemctl reset-failed {layout.UNIT} 2>/dev/null || true",
    f"systemctl enable --quiet {layout.UNIT}",
    f"systemctl restart {layout.UNIT}",
)
RESTART_NAME = "restart"
RESTART_TIMEOUT_S = 900
"""A stop waits for requests that run; then come the checks before the start."""


def keep(directory: str, *also: str) -> str:
    """Copy what is served, and ``also``, into a new ``directory``, which appears whole or not at all."""
    draft = shell(f"{directory}.new")
    copies = [f"if {_exists(path)}; then cp -a {shell(path)} {draft}/; fi" for path in (*SERVED, *also)]
    return " && ".join([f"rm -rf {draft}", f"mkdir -m 700 {draft}", *copies, f"mv -T {draft} {shell(directory)}"])


def put_back(directory: str) -> list[str]:
    """Bring back what ``keep`` copied; what was not there then is removed."""
    return [_put_back(f"{directory}/{path.rsplit('/', 1)[-1]}", path) for path in SERVED]


def _put_back(aside: str, path: str) -> str:
    copy = shell("cp", "-aT", "--remove-destination", aside, path)
    return f"if {_exists(aside)}; then {copy}; else rm -f {shell(path)}; fi"


def _exists(path: str) -> str:
    return f"[ -e {shell(path)} ] || [ -L {shell(path)} ]"
