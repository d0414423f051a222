"""Back to an earlier deployment: what it ran from is on the host, so nothing is fetched and nothing is built."""

from pyinfra import host
from pyinfra.operations import server

from edgeops import layout
from edgeops.engine.service_files import RESTART, RESTART_TIMEOUT_S, keep, put_back
from edgeops.quoting import shell

source = host.data.edgeops_deployment

server.shell(
    name="put back the earlier deployment",
    commands=[
        f"test -d {shell(source)}",
        f"[ -d {shell(layout.UNDO)} ] || ({keep(layout.UNDO)})",
        *put_back(source),
        *RESTART,
    ],
    _sudo=True,
    _timeout=RESTART_TIMEOUT_S,
)
