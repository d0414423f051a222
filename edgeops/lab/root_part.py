"""The part of the lab that needs root: builds, mounts, boots and stops. Called directly by root, through sudo by others.

``python -m edgeops.lab.root_part`` reads one request as JSON on stdin, tells its story on stderr and prints the hosts' records on stdout.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from edgeops.errors import EdgeopsError
from edgeops.lab import cache
from edgeops.lab.cache import Report
from edgeops.lab.disk import Disk, erase, personalize
from edgeops.lab.kinds import KINDS
from edgeops.lab.machine import boot, power_off
from edgeops.lab.orders import HostOrder
from edgeops.lab.overlay import mounts_below
from edgeops.lab.places import CACHE, LOCK, STATE, HostPlaces
from edgeops.lab.programs import demand_programs
from edgeops.lab.records import HostRecord, addresses_taken, free_address, read_record, write_record
from edgeops.lab.system import base_system, kind_layer
from edgeops.lab.wheels import wheelhouse


@dataclass(frozen=True)
class Request:
    """``action`` is up, down or set; ``environment`` is the caller's, as far as downloads need it."""

    action: str
    state: str
    orders: tuple[HostOrder, ...] = ()
    names: tuple[str, ...] = ()
    fresh: bool = False
    login_key: str = ""
    knobs: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Request:
        values: dict[str, Any] = json.loads(text)
        orders = tuple(HostOrder(one["name"], one["kind"], tuple(one["faults"])) for one in values.pop("orders"))
        return cls(**{**values, "orders": orders, "names": tuple(values["names"])})


def perform(request: Request, report: Report) -> None:
    """Do what is asked, one caller at a time. Raises EdgeopsError."""
    demand_programs()
    STATE.mkdir(parents=True, exist_ok=True)
    CACHE.mkdir(parents=True, exist_ok=True)
    with _alone(report):
        if request.action == "up":
            _up(request, report)
        elif request.action == "down":
            _down(request, report)


def _up(request: Request, report: Report) -> None:
    state = Path(request.state)
    state.mkdir(exist_ok=True)
    for order in request.orders:
        places = HostPlaces(state, order.name)
        record = read_record(places.record)
        if record is None or request.fresh or not _bootable(record):
            _make(order, places, request, report)
        elif record.running:
            _refuse_change(record, order)
            continue
        else:
            _refuse_change(record, order)
            power_off(record)
        _start(places, report)


def _make(order: HostOrder, places: HostPlaces, request: Request, report: Report) -> None:
    existing = read_record(places.record)
    if existing is not None:
        power_off(existing)
    erase(places)
    if not mounts_below(STATE):
        cache.prune(CACHE)
    base = base_system(CACHE, report)
    layer = kind_layer(KINDS[order.kind], base, CACHE, report)
    layers, wheels = (str(layer), str(base)), str(wheelhouse(base, CACHE, report))
    disk = Disk(places, layers)
    address = existing.address if existing else free_address(addresses_taken())
    record = HostRecord(order.name, order.kind, order.faults, address, layers, wheels, "")
    try:
        key = personalize(disk.attach(), record, order, request.login_key)
    except BaseException:
        erase(places)
        raise
    write_record(HostRecord(order.name, order.kind, order.faults, address, layers, wheels, key), places)


def _start(places: HostPlaces, report: Report) -> None:
    record = read_record(places.record)
    assert record is not None
    report(f"booting {record.name} ({record.kind}, simulated) on {record.address}")
    Disk(places, record.layers).attach()
    write_record(boot(record, places), places)


def _down(request: Request, report: Report) -> None:
    state = Path(request.state)
    for name in request.names:
        places = HostPlaces(state, name)
        record = read_record(places.record)
        if record is not None:
            report(f"stopping {name}")
            power_off(record)
        erase(places)
    if state.is_dir() and not any(state.iterdir()):
        state.rmdir()


def _bootable(record: HostRecord) -> bool:
    return all(cache.is_whole(Path(layer).parent) for layer in (*record.layers, record.wheels))


def _refuse_change(record: HostRecord, order: HostOrder) -> None:
    changed = order.kind != record.kind or (order.faults and order.faults != record.faults)
    if changed:
        raise EdgeopsError(
            f"{record.name} exists already, as {record.kind} with faults: {', '.join(record.faults) or 'none'}",
            f"edgeops lab up --fresh --hosts {order.name}={order.kind} starts it from an empty disk",
        )


@contextmanager
def _alone(report: Report) -> Iterator[None]:
    with LOCK.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            report("waiting for another `edgeops lab` on this machine")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main() -> None:
    """Entry of the sudo call."""
    request = Request.from_json(sys.stdin.read())
    os.environ.update(request.environment)
    perform(request, lambda line: print(line, file=sys.stderr, flush=True))  # noqa: T201


if __name__ == "__main__":
    try:
        main()
    except EdgeopsError as error:
        json.dump({"message": error.message, "remedy": error.remedy}, sys.stdout)
        sys.exit(1)
