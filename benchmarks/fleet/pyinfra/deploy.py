"""What ``edgeops deploy --no-smoke`` changes on a host, with pyinfra's own operations.

``pip.packages`` forgets extras, and pyinfra's list of packages leaves out versions such as 0.11.1+lab: pip is asked and
called itself.
"""

from io import StringIO
from pathlib import Path

from pyinfra import host
from pyinfra.facts.server import Command
from pyinfra.operations import files, pip, server, systemd

RELEASE = f"/opt/edgeops/releases/{host.data.release_name}"
GIVEN = Path(host.data.files)

server.user(
    name="system user",
    user="trtedge",
    system=True,
    home="/var/lib/trtedge",
    shell="/usr/sbin/nologin",
    ensure_home=False,
    groups=["video", "render"],
    _sudo=True,
)
for path, owner, mode in (
    ("/opt/edgeops/releases", "root", "755"),
    (RELEASE, "root", "755"),
    ("/etc/edgeops", "root", "755"),
    ("/var/lib/trtedge", "trtedge", "750"),
    ("/var/lib/trtedge/models", "trtedge", "750"),
    ("/var/lib/trtedge/cache", "trtedge", "750"),
):
    files.directory(name=f"directory {path}", path=path, user=owner, group=owner, mode=mode, _sudo=True)
files.put(name="constraints", src=host.data.constraints, dest=f"{RELEASE}/constraints.txt", mode="644", _sudo=True)
pip.venv(name="venv", path=f"{RELEASE}/venv", python="/usr/bin/python3", site_packages=True, _sudo=True)
shown = host.get_fact(Command, f"{RELEASE}/venv/bin/pip show tensorrt-edgellm 2>/dev/null || true", _sudo=True) or ""
if f"Version: {host.data.requirement.partition('==')[2]}" not in shown:
    server.shell(
        name="release",
        commands=[f"{RELEASE}/venv/bin/pip install -q -c {RELEASE}/constraints.txt '{host.data.requirement}'"],
        _sudo=True,
    )
environment = files.put(
    name="environment file",
    src=StringIO((GIVEN / "trtedge.env.j2").read_text()),
    dest="/etc/edgeops/trtedge.env",
    mode="644",
    _sudo=True,
)
unit = files.template(
    name="unit",
    src=str(GIVEN / "trtedge.service.j2"),
    dest="/etc/systemd/system/trtedge.service",
    mode="644",
    bind=host.data.bind,
    _sudo=True,
)
link = files.link(name="current release", path="/opt/edgeops/current", target=RELEASE, _sudo=True)
systemd.service(
    name="restart",
    service="trtedge",
    restarted=True,
    daemon_reload=True,
    _if=lambda: any(step.did_change() for step in (environment, unit, link)),
    _sudo=True,
)
systemd.service(name="service", service="trtedge", running=True, enabled=True, _sudo=True)
