"""The record of a verified service; releases that are too old go, and so does what the switch had kept aside."""

from io import StringIO

from pyinfra import host
from pyinfra.operations import files, server

from edgeops import layout
from edgeops.quoting import shell

files.put(name="record", src=StringIO(host.data.edgeops_state), dest=layout.STATE_FILE, mode="644", _sudo=True)
stale = [shell(layout.release_directory(name)) for name in host.data.edgeops_stale_releases]
server.shell(
    name="tidy up",
    commands=[f"rm -rf {shell(layout.UNDO)} {' '.join(stale)}".strip()],
    _sudo=True,
    _timeout=600,
)
