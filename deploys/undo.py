"""Puts back what deploys/service.py replaced. What was not there before is stopped, disabled and removed."""

from pyinfra.operations import server

from edgeops import layout
from edgeops.engine.service_files import RESTART, RESTART_TIMEOUT_S, put_back
from edgeops.quoting import shell

server.shell(
    name="put back the former service",
    commands=[
        f"test -d {shell(layout.UNDO)}",
        f"[ -e {shell(layout.UNDO)}/{layout.UNIT} ] || systemctl disable --now --quiet {layout.UNIT} || true",
        *put_back(layout.UNDO),
        f"if [ -e {shell(layout.UNIT_FILE)} ]; then {' && '.join(RESTART)}; else systemctl daemon-reload; fi",
        f"rm -rf {shell(layout.UNDO)}",
    ],
    _sudo=True,
    _timeout=RESTART_TIMEOUT_S,
)
