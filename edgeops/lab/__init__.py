"""Simulated hosts on this machine: everything but the GPU is real, and everything they report says ``simulated``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from edgeops.errors import ConfigurationError
from edgeops.lab.cache import Report
from edgeops.lab.dial import changed
from edgeops.lab.door import ask_root, network_environment
from edgeops.lab.orders import HostOrder, host_name, host_orders
from edgeops.lab.places import Workspace, workspace_here
from edgeops.lab.programs import demand_programs
from edgeops.lab.records import PORT, USER, HostRecord, records
from edgeops.lab.root_part import Request
from edgeops.lab.workspace import check_inventory, login_key, show_hosts

__all__ = ["HostOrder", "LabStatus", "Workspace", "down", "host_orders", "set_knobs", "status", "up", "workspace_here"]

SCHEMA = "edgeops.lab/1"


@dataclass(frozen=True)
class LabStatus:
    """What ``up``, ``down`` and ``status`` return: the workspace's hosts, each looked at just now."""

    workspace: Workspace
    hosts: tuple[HostRecord, ...]
    running: tuple[bool, ...]

    def document(self) -> dict[str, Any]:
        """The JSON document ``edgeops.lab/1``."""
        hosts = [self._host(record, running) for record, running in zip(self.hosts, self.running, strict=True)]
        return {"schema": SCHEMA, "inventory": str(self.workspace.inventory), "hosts": hosts}

    def _host(self, record: HostRecord, running: bool) -> dict[str, Any]:
        return {
            "host": record.name,
            "address": record.address,
            "port": PORT,
            "user": USER,
            "key": str(self.workspace.key),
            "platform": record.kind,
            "running": running,
        }


def up(workspace: Workspace, orders: Sequence[HostOrder], report: Report, *, fresh: bool = False) -> LabStatus:
    """Bring the hosts up and list them in the inventory.

    A running host is left alone, a dead one booted with its disk as it was.

    Raises ConfigurationError for an unusable inventory, EdgeopsError when a host does not come up.
    """
    demand_programs()
    check_inventory(workspace)
    request = Request(
        action="up",
        state=str(workspace.state),
        orders=tuple(orders),
        fresh=fresh,
        login_key=login_key(workspace),
        environment=network_environment(),
    )
    return _asked(workspace, request, report)


def down(workspace: Workspace, names: Iterable[str], report: Report) -> LabStatus:
    """Stop the named hosts (all when none is named), remove their disks and take them out of the inventory."""
    known = [record.name for record in records(workspace.state)]
    wanted = tuple(host_name(name) for name in names) or tuple(known)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise ConfigurationError(f"no simulated host {', '.join(unknown)} here. Known: {', '.join(known) or 'none'}")
    if not wanted:
        return status(workspace)
    return _asked(workspace, Request(action="down", state=str(workspace.state), names=wanted), report)


def status(workspace: Workspace) -> LabStatus:
    """Look at the workspace's hosts. Needs no root and changes nothing."""
    found = records(workspace.state)
    return LabStatus(workspace, found, tuple(record.running for record in found))


def set_knobs(workspace: Workspace, host: str, changes: dict[str, str], report: Report) -> dict[str, Any]:
    """Turn knobs of a host's scripted engine, empty text resets one; returns all that are set. Raises
    ConfigurationError.
    """
    changed({}, changes)
    request = Request(action="set", state=str(workspace.state), names=(host_name(host),), knobs=changes)
    return ask_root(request, report)


def _asked(workspace: Workspace, request: Request, report: Report) -> LabStatus:
    try:
        ask_root(request, report)
    finally:
        show_hosts(workspace, records(workspace.state))
    return status(workspace)
