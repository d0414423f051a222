"""The switch: environment file, key, unit, link, restart. What was there is kept aside first, for deploys/undo.py."""

from io import StringIO

from pyinfra import host
from pyinfra.operations import files, server

from edgeops import layout
from edgeops.engine.declared import declared, declared_service
from edgeops.engine.operations import link, secret
from edgeops.quoting import shell

service, key = declared_service(), host.data.get("edgeops_api_key")
kept = (layout.UNIT_FILE, layout.ENVIRONMENT_FILE, layout.KEY_FILE, layout.CURRENT)

# A switch that was neither recorded nor undone kept the last verified service aside: that one stays what is gone back
# to.
draft = shell(layout.UNDO + ".new")
server.shell(
    name="keep what the switch replaces",
    commands=[
        f"[ ! -d {shell(layout.UNDO)} ] || exit 0; rm -rf {draft} && mkdir -m 700 {draft}; "
        + "".join(
            f"if [ -e {shell(path)} ] || [ -L {shell(path)} ]; then cp -a {shell(path)} {draft}/ || exit 1; fi; "
            for path in kept
        )
        + f"mv -T {draft} {shell(layout.UNDO)}",
    ],
    _sudo=True,
)
files.put(
    name="environment file",
    src=StringIO(service.environment),
    dest=layout.ENVIRONMENT_FILE,
    mode="644",
    _sudo=True,
)
if key:
    secret(name="API key", path=layout.KEY_FILE, content=key, sha256=host.data.get("edgeops_key_sha256"), _sudo=True)
files.put(name="unit", src=StringIO(service.unit), dest=layout.UNIT_FILE, mode="644", _sudo=True)
link(name="current release", path=layout.CURRENT, target=declared().release.directory, _sudo=True)
server.shell(
    name="restart",
    commands=[
        "systemctl daemon-reload",
        f"systemctl reset-failed {layout.UNIT} 2>/dev/null || true",
        f"systemctl enable --quiet {layout.UNIT}",
        f"systemctl restart {layout.UNIT}",
    ],
    _sudo=True,
    # A stop waits for requests that run, then come the checks before the start.
    _timeout=900,
)
