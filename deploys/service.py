"""The switch: environment file, key, unit, link, restart. What was there is kept aside first, for deploys/undo.py."""

from io import StringIO

from pyinfra import host
from pyinfra.operations import files, server

from edgeops import layout
from edgeops.engine.declared import declared, declared_service
from edgeops.engine.operations import link, secret
from edgeops.engine.service_files import RESTART, RESTART_NAME, RESTART_TIMEOUT_S, keep
from edgeops.quoting import shell

service, key = declared_service(), host.data.get("edgeops_api_key")

server.shell(
    name="keep what the switch replaces",
    # A switch that was neither recorded nor undone kept the last verified service: that one stays what is gone back to.
    commands=[f"[ -d {shell(layout.UNDO)} ] || ({keep(layout.UNDO)})"],
    _sudo=True,
)
files.put(
    name="environment file",
    src=StringIO(service.environment),
    dest=layout.ENVIRONMENT_FILE,
    mode="644",
    _sudo=True,
)
if key is None:
    files.file(name="no API key", path=layout.KEY_FILE, present=False, _sudo=True)
else:
    secret(name="API key", path=layout.KEY_FILE, content=key, sha256=host.data.get("edgeops_key_sha256"), _sudo=True)
files.put(name="unit", src=StringIO(service.unit), dest=layout.UNIT_FILE, mode="644", _sudo=True)
link(name="current release", path=layout.CURRENT, target=declared().release.directory, _sudo=True)
server.shell(name=RESTART_NAME, commands=[*RESTART], _sudo=True, _timeout=RESTART_TIMEOUT_S)
