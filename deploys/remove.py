"""Leaves the host as it was before edgeops. Models stay unless asked for; packages stay, as others may use them."""

from pyinfra import host
from pyinfra.operations import server

from edgeops import layout
from edgeops.quoting import shell

models = host.data.get("edgeops_remove_models", False)
ours = [layout.UNIT_FILE, layout.ROOT, layout.CONFIGURATION, layout.RECORDS]
home = [f"rm -rf {shell(layout.HOME)}"]
if not models:
    # Only what was staged is worth keeping; it belongs to root from now on, the service user being gone.
    clear = f"find {shell(layout.HOME)} -mindepth 1 -maxdepth 1 ! -path {shell(layout.MODELS)} -exec rm -rf {{}} +"
    leave = (
        f"{shell('rmdir', layout.MODELS, layout.HOME)} 2>/dev/null || {shell('chown', '-R', 'root:root', layout.HOME)}"
    )
    home = [f"if [ -d {shell(layout.HOME)} ]; then {clear}; {leave}; fi"]

server.shell(
    name="stop and remove",
    commands=[
        f"systemctl disable --now --quiet {layout.UNIT} 2>/dev/null || true",
        shell("rm", "-rf", *ours),
        "systemctl daemon-reload",
        f"systemctl reset-failed {layout.UNIT} 2>/dev/null || true",
        *home,
        f"if getent passwd {layout.USER} >/dev/null; then userdel {layout.USER}; fi",
    ],
    _sudo=True,
    _timeout=900,
)
