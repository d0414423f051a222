"""What the machine knows of each simulated host: one JSON file, readable by all; whether it runs is looked up, not
stored.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from edgeops.lab.places import STATE, HostPlaces

PORT = 2222
"""Of every host's sshd, on the host's own loopback address: 22 is the lab machine's own."""

USER = "nvidia"


@dataclass(frozen=True)
class Process:
    """A process that cannot be mistaken for a later one with the same number."""

    pid: int
    started: str
    boot: str

    @property
    def alive(self) -> bool:
        return process(self.pid) == self


@dataclass(frozen=True)
class HostRecord:
    """``layers`` are the shared trees, the topmost first; ``host_key`` is the public line of the host's sshd.

    ``process`` is the container's supervisor, ``init`` the host's process 1: it can outlive a killed supervisor.
    """

    name: str
    kind: str
    faults: tuple[str, ...]
    address: str
    layers: tuple[str, ...]
    wheels: str
    host_key: str
    process: Process | None = None
    init: Process | None = None

    @property
    def running(self) -> bool:
        """Its process lives and its sshd answers."""
        return self.process is not None and self.process.alive and answers(self.address, PORT)

    @property
    def processes(self) -> tuple[Process, ...]:
        """Those of the two that are alive, the supervisor first."""
        return tuple(one for one in (self.process, self.init) if one is not None and one.alive)


def answers(address: str, port: int) -> bool:
    """Whether something accepts connections there."""
    try:
        with socket.create_connection((address, port), timeout=2):
            return True
    except OSError:
        return False


def process(pid: int) -> Process | None:
    """The live process ``pid``, named by its start time too; None when there is none (proc(5), stat)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    if fields[0] in ("Z", "X"):
        return None
    return Process(pid, fields[19], Path("/proc/sys/kernel/random/boot_id").read_text().strip())


def read_record(path: Path) -> HostRecord | None:
    """The record in ``path``; None when it is absent or no record."""
    try:
        values = json.loads(path.read_text())
        for key in ("faults", "layers"):
            values[key] = tuple(values[key])
        for key in ("process", "init"):
            values[key] = Process(**values[key]) if values.get(key) else None
        return HostRecord(**values)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def write_record(record: HostRecord, places: HostPlaces) -> HostRecord:
    """Keep ``record``; the file is never seen half written."""
    draft = places.record.with_suffix(".new")
    draft.write_text(json.dumps(asdict(record), indent=2) + "\n")
    draft.replace(places.record)
    return record


def records(state: Path) -> tuple[HostRecord, ...]:
    """All hosts of one workspace, by name."""
    found = [read_record(path) for path in sorted(state.glob("*.json"))]
    return tuple(record for record in found if record is not None)


def all_records() -> tuple[HostRecord, ...]:
    """All hosts of all workspaces on this machine."""
    return tuple(record for state in sorted(STATE.glob("*/")) for record in records(state))


def addresses_taken() -> set[str]:
    """Of all workspaces on this machine."""
    return {record.address for record in all_records()}


def free_address(taken: Sequence[str] | set[str]) -> str:
    """The first address of 127.0.77.1 … 127.0.84.254 that no host has and nothing answers on."""
    for block in range(77, 85):
        for last in range(1, 255):
            address = f"127.0.{block}.{last}"
            if address not in taken and not answers(address, PORT):
                return address
    raise RuntimeError("more than 2000 simulated hosts")
