"""The record of a verified service, and what it ran from, kept for a rollback; what is too old goes."""

from io import StringIO

from pyinfra import host
from pyinfra.operations import files, server

from edgeops import layout
from edgeops.engine.service_files import keep
from edgeops.quoting import shell

deployment = host.data.edgeops_deployment

files.put(name="record", src=StringIO(host.data.edgeops_state), dest=layout.STATE_FILE, mode="644", _sudo=True)
server.shell(
    name="keep what it ran from",
    commands=[
        shell("mkdir", "-p", "-m", "700", layout.DEPLOYMENTS),
        f"rm -rf {shell(deployment)} && {keep(deployment, layout.STATE_FILE)}",
        shell("rm", "-rf", layout.UNDO, *host.data.edgeops_stale),
    ],
    _sudo=True,
    _timeout=600,
)
