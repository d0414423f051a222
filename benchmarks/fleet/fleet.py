"""Simulated hosts by the dozen: fresh ones, and ones above the disk of a host that was deployed once.

Fifty installations of the same wheels would measure pip on this machine's disk fifty times. So one host is deployed,
powered off, and its disk becomes a read-only layer below the others (overlayfs); what is personal to it is taken out.
The others then are deployed by edgeops itself, which finds the release there and makes the service theirs: unit,
environment, record and running server are each host's own.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from edgeops import lab
from edgeops.lab import machine
from edgeops.lab.disk import Disk, erase, personalize
from edgeops.lab.places import HostPlaces, Workspace
from edgeops.lab.records import HostRecord, addresses_taken, free_address, read_record, write_record
from edgeops.lab.workspace import login_key, show_hosts

PERSONAL = (
    "home/nvidia/.ssh",
    "etc/ssh/ssh_host_ed25519_key",
    "etc/ssh/ssh_host_ed25519_key.pub",
    "etc/systemd/system/multi-user.target.wants/trtedge.service",
    "var/log/journal",
)
"""Of the host whose disk the others stand on. The service is not enabled there: each host's own deploy does that."""


@dataclass(frozen=True)
class Fleet:
    """The hosts of one workspace."""

    workspace: Workspace
    tell: Callable[[str], None]

    def fresh(self, names: Sequence[str]) -> None:
        """Empty hosts, never deployed to."""
        lab.up(self.workspace, lab.host_orders(names), self.tell, fresh=True)

    def become_layer(self, name: str) -> tuple[HostRecord, Path]:
        """Power ``name`` off for good; returns its record and its disk, as a layer for others."""
        places = HostPlaces(self.workspace.state, name)
        record = read_record(places.record)
        assert record is not None
        machine.power_off(record)
        Disk(places, record.layers).detach()
        layer = self.workspace.state / "layer"
        places.upper.rename(layer)
        for path in PERSONAL:
            target = layer / path
            shutil.rmtree(target, ignore_errors=True) if target.is_dir() else target.unlink(missing_ok=True)
        lab.down(self.workspace, [name], self.tell)
        return record, layer

    def above(self, layer: Path, model: HostRecord, names: Sequence[str]) -> None:
        """Hosts like ``model`` whose disks stand on ``layer``."""
        key, taken = login_key(self.workspace), addresses_taken()
        records = []
        for name in names:
            records.append(replace(model, name=name, address=free_address(taken), layers=(str(layer), *model.layers)))
            taken.add(records[-1].address)
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda record: self._boot(record, key), records))
        show_hosts(self.workspace, _all(self.workspace))

    def drop(self, names: Sequence[str]) -> None:
        """Power off and remove."""
        lab.down(self.workspace, names, self.tell)

    def end(self) -> None:
        """Remove everything."""
        if _all(self.workspace):
            lab.down(self.workspace, [], self.tell)
        shutil.rmtree(self.workspace.state, ignore_errors=True)

    def _boot(self, record: HostRecord, key: str) -> None:
        places = HostPlaces(self.workspace.state, record.name)
        erase(places)
        record = replace(record, process=None, init=None, host_key="")
        write_record(record, places)
        host_key = personalize(Disk(places, record.layers).attach(), record, key)
        write_record(machine.boot(replace(record, host_key=host_key), places), places)


def _all(workspace: Workspace) -> tuple[HostRecord, ...]:
    return lab.status(workspace).hosts
