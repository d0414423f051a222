"""Hosts come and go: made from the shared layers, booted, found dead, booted again, powered off and removed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from edgeops.errors import ConfigurationError
from edgeops.lab import cache
from edgeops.lab.cache import Report
from edgeops.lab.cgroups import remove_group
from edgeops.lab.disk import Disk, erase, personalize
from edgeops.lab.kinds import KINDS, Kind, kind_for
from edgeops.lab.locks import machine_lock
from edgeops.lab.machine import allow_many, boot, power_off, stop_strays
from edgeops.lab.orders import HostOrder
from edgeops.lab.overlay import mounts_below
from edgeops.lab.places import CACHE, STATE, HostPlaces
from edgeops.lab.records import (
    HostRecord,
    addresses_taken,
    all_records,
    free_address,
    read_record,
    write_record,
)
from edgeops.lab.system import base_system, kind_layer
from edgeops.lab.wheels import server_closure, wheelhouse


class Wanted(Protocol):
    """What is asked for, as far as hosts are concerned."""

    @property
    def state(self) -> str: ...
    @property
    def orders(self) -> Sequence[HostOrder]: ...
    @property
    def names(self) -> Sequence[str]: ...
    @property
    def fresh(self) -> bool: ...
    @property
    def login_key(self) -> str: ...


@dataclass(frozen=True)
class _Shared:
    """What the hosts of one kind have in common: layers, the topmost first, and wheels."""

    layers: tuple[str, ...]
    wheels: str


def take_up(wanted: Wanted, report: Report) -> None:
    """Every ordered host runs afterwards, whatever was left of it before.

    Raises ConfigurationError before anything is changed, EdgeopsError when one does not boot.
    """
    state = Path(wanted.state)
    state.mkdir(exist_ok=True)
    if not wanted.fresh:
        for order in wanted.orders:
            _refuse_change(read_record(HostPlaces(state, order.name).record), order)
    at_once([partial(_take_up, order, wanted, report) for order in wanted.orders])


def take_down(wanted: Wanted, report: Report) -> None:
    """Power off and remove the named hosts."""
    state = Path(wanted.state)
    at_once([partial(_take_down, HostPlaces(state, name), report) for name in wanted.names])
    if state.is_dir() and not any(state.iterdir()):
        state.rmdir()


def at_once(tasks: Sequence[Callable[[], None]]) -> None:
    """Run the tasks beside one another, all to their end; then raise the first error in their order."""
    with ThreadPoolExecutor(max_workers=8) as pool:
        running = [pool.submit(task) for task in tasks]
    for one in running:
        one.result()


def _take_up(order: HostOrder, wanted: Wanted, report: Report) -> None:
    places = HostPlaces(Path(wanted.state), order.name)
    record = read_record(places.record)
    if record is None or wanted.fresh or not record.host_key:
        _start(_make(order, places, wanted.login_key, report), places, report)
    elif not record.running:
        _stop(record, places)
        _start(_mended(record, places, wanted.login_key, report), places, report)


def _take_down(places: HostPlaces, report: Report) -> None:
    report(f"powering off {places.name}")
    _stop(read_record(places.record), places)
    erase(places)


def _make(order: HostOrder, places: HostPlaces, login_key: str, report: Report) -> HostRecord:
    existing = read_record(places.record)
    _stop(existing, places)
    erase(places)
    try:
        record = _reserved(order, places, existing.address if existing else "", report)
        key = personalize(Disk(places, record.layers).attach(), record, login_key)
    except BaseException:
        erase(places)
        raise
    return write_record(replace(record, host_key=key), places)


def _reserved(order: HostOrder, places: HostPlaces, address: str, report: Report) -> HostRecord:
    """A record without a host key: what is shared is there, the address is taken, the disk is not made yet."""
    kind = KINDS[order.kind] if order.kind else kind_for(order.name)
    with machine_lock(report):
        used = [Path(path) for one in all_records() for path in (*one.layers, one.wheels)]
        cache.prune(CACHE, used, mounted=bool(mounts_below(STATE)))
        shared = _shared(kind, report)
        address = address or free_address(addresses_taken())
        record = HostRecord(order.name, kind.name, order.faults, address, shared.layers, shared.wheels, host_key="")
        return write_record(record, places)


def _mended(record: HostRecord, places: HostPlaces, login_key: str, report: Report) -> HostRecord:
    """The host with its disk as it was; only when what was below it is gone for good, a new one."""
    if all(cache.is_whole(Path(path).parent) for path in (*record.layers, record.wheels)):
        return record
    Disk(places, record.layers).detach()
    with machine_lock(report):
        shared = _shared(KINDS[record.kind], report)
    if shared == _Shared(record.layers, record.wheels):
        return record
    report(f"what {record.name} was made from is gone: it starts from an empty disk")
    return _make(HostOrder(record.name, record.kind, record.faults), places, login_key, report)


def _stop(record: HostRecord | None, places: HostPlaces) -> None:
    if record is not None:
        power_off(record)
    stop_strays(places)
    remove_group(places)


def _start(record: HostRecord, places: HostPlaces, report: Report) -> None:
    allow_many(report)
    report(f"booting {record.name} ({record.kind}, simulated) on {record.address}")
    Disk(places, record.layers).attach()
    write_record(boot(record, places), places)


def _shared(kind: Kind, report: Report) -> _Shared:
    with ThreadPoolExecutor(max_workers=1) as downloads:
        fetched = downloads.submit(server_closure, CACHE, report)
        base = base_system(CACHE, report)
        fetched.result()
    wheels = wheelhouse(base, CACHE, report)
    return _Shared((str(kind_layer(kind, base, CACHE, report)), str(base)), str(wheels))


def _refuse_change(record: HostRecord | None, order: HostOrder) -> None:
    if record is None or (order.kind in ("", record.kind) and order.faults in ((), record.faults)):
        return
    raise ConfigurationError(
        f"{record.name} exists already, as {record.kind} with {', '.join(record.faults) or 'no faults'}",
        "Add --fresh to start it from an empty disk",
    )
