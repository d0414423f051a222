"""Puts back what deploys/service.py replaced. What was not there before is stopped, disabled and removed."""

from pyinfra.operations import server

from edgeops import layout
from edgeops.quoting import shell

kept = (layout.UNIT_FILE, layout.ENVIRONMENT_FILE, layout.KEY_FILE, layout.CURRENT)


def put_back(path):
    aside, there = shell(f"{layout.UNDO}/{path.rsplit('/', 1)[-1]}"), shell(path)
    copy = f"cp -aT --remove-destination {aside} {there}"
    return f"if [ -e {aside} ] || [ -L {aside} ]; then {copy}; else rm -f {there}; fi"


server.shell(
    name="put back the former service",
    commands=[
        f"test -d {shell(layout.UNDO)}",
        f"[ -e {shell(layout.UNDO)}/{layout.UNIT} ] || systemctl disable --now --quiet {layout.UNIT} || true",
        *(put_back(path) for path in kept),
        "systemctl daemon-reload",
        f"systemctl reset-failed {layout.UNIT} 2>/dev/null || true",
        f"[ ! -e {shell(layout.UNIT_FILE)} ] || systemctl restart {layout.UNIT}",
        f"rm -rf {shell(layout.UNDO)}",
    ],
    _sudo=True,
    _timeout=900,
)
