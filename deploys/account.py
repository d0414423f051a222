"""The system user of the service, and the directories it and edgeops need."""

from pyinfra import host
from pyinfra.facts.server import Groups
from pyinfra.operations import files, server

from edgeops import layout

DEVICE_GROUPS = [group for group in ("video", "render") if group in host.get_fact(Groups)]

server.user(
    name=f"system user {layout.USER}",
    user=layout.USER,
    system=True,
    home=layout.HOME,
    shell="/usr/sbin/nologin",
    ensure_home=False,
    groups=DEVICE_GROUPS,
    _sudo=True,
)
for path, owner, mode in (
    (layout.RELEASES, "root", "755"),
    (layout.CONFIGURATION, "root", "755"),
    (layout.RECORDS, "root", "755"),
    (layout.HOME, layout.USER, "750"),
    (layout.MODELS, layout.USER, "750"),
    (layout.CACHE, layout.USER, "750"),
):
    files.directory(name=f"directory {path}", path=path, user=owner, group=owner, mode=mode, _sudo=True)
