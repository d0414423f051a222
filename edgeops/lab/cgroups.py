"""A control group of its own for each simulated host.

Without one, all containers that start from the same place share the group ``payload``, and each systemd in them takes
the services of the others for its own. Where systemd runs the lab machine it makes the group; elsewhere it is made by
hand, in the hierarchies that systemd uses (cgroups(7)).
"""

from __future__ import annotations

from pathlib import Path

from edgeops.lab.places import HostPlaces

_JOIN = 'while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs" || exit; shift; done; shift; exec "$@"'


def in_own_group(command: list[str], places: HostPlaces) -> list[str]:
    """``command`` such that it runs in the host's own group, under the same process id."""
    if Path("/run/systemd/system").is_dir():
        scope = ("--scope", "--collect", f"--unit={_name(places)}", "--property=Delegate=yes")
        return ["systemd-run", "--quiet", *scope, *command]
    groups = [root / _name(places) for root in _hierarchies()]
    for group in groups:
        group.mkdir(exist_ok=True)
    return ["sh", "-c", _JOIN, "sh", *map(str, groups), "--", *command]


def remove_group(places: HostPlaces) -> None:
    """Remove the empty groups of a host that was stopped."""
    for root in _hierarchies():
        group = root / _name(places)
        for directory in sorted([group, *group.rglob("*/")], reverse=True) if group.is_dir() else ():
            directory.rmdir()


def _name(places: HostPlaces) -> str:
    return f"edgeops-lab-{places.state.name}-{places.name}"


def _hierarchies() -> list[Path]:
    """Where the unified hierarchy and systemd's named one are mounted (proc(5), mountinfo)."""
    found = []
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind == "cgroup2" or (kind == "cgroup" and "name=systemd" in options.split(",")):
            found.append(Path(before.split()[4]))
    return found
