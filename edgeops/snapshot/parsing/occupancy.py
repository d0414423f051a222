"""What is in use: disks, ports, clock, package locks, GPU, and our own service."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from edgeops.snapshot.parsing.text import integer, json_object, lines, text_at


@dataclass(frozen=True)
class Disk:
    """One line of ``df -PB1``, in bytes."""

    mount: str
    device: str
    size: int
    available: int


@dataclass(frozen=True)
class Clock:
    """``synchronized`` is None where nobody said; ``seconds`` since 1970."""

    synchronized: bool | None
    seconds: int | None


@dataclass(frozen=True)
class Listener:
    """A listening TCP socket. ``address`` is ``*`` for every address; the process is None to who may not see it."""

    address: str
    port: int
    pid: int | None
    process: str | None


@dataclass(frozen=True)
class AptState:
    """``lock`` names who holds dpkg's lock (``1234 unattended-upgr``), empty where it is free, None if unknown."""

    reboot_required: bool | None
    lock: str | None
    audit: tuple[str, ...]


@dataclass(frozen=True)
class GpuUser:
    """A process that computes on the GPU; ``memory`` in bytes, None where the driver does not say."""

    pid: int
    name: str
    memory: int | None


@dataclass(frozen=True)
class OwnState:
    """What edgeops itself left on the host. ``models``: bytes by directory of staged models, None where unread."""

    state: Mapping[str, Any] | None = field(default=None, hash=False)
    unit: Mapping[str, str] | None = field(default=None, hash=False)
    current: str | None = None
    models: Mapping[str, int] | None = field(default=None, hash=False)

    @property
    def main_pid(self) -> int | None:
        """The running service's process; None where the service does not run."""
        unit = self.unit or {}
        alive = unit.get("ActiveState") in ("active", "activating", "reloading", "deactivating")
        return (integer(unit.get("MainPID")) or None) if alive else None


def disks(text: str) -> tuple[Disk, ...]:
    """``df -PB1`` of several directories, one line each, in the order asked; also the same file system twice."""
    rows = (line.split(None, 5) for line in lines(text))
    found = ((row, integer(row[1]), integer(row[3])) for row in rows if len(row) == 6)
    return tuple(Disk(row[5], row[0], size, free) for row, size, free in found if size is not None and free is not None)


def clock(text: str) -> Clock | None:
    """``NTPSynchronized=yes`` and, on the last line, ``date +%s``."""
    found = lines(text)
    flags = [line.partition("=")[2] for line in found if line.startswith("NTPSynchronized=")]
    synchronized = {"yes": True, "no": False}.get(flags[-1]) if flags else None
    seconds = integer(found[-1]) if found else None
    return None if synchronized is None and seconds is None else Clock(synchronized, seconds)


_USER = re.compile(r'users:\(\("(?P<name>[^"]{0,64})",pid=(?P<pid>[0-9]{1,10})')


def listeners(text: str) -> tuple[Listener, ...]:
    """``ss -Hltnp``: state, two queues, local address, peer address, users."""
    return tuple(found for found in map(_listener, lines(text)) if found)


def _listener(line: str) -> Listener | None:
    words = line.split(None, 5)
    if len(words) < 5 or words[0] != "LISTEN":
        return None
    host, _, port = words[3].rpartition(":")
    number, address = integer(port), _address(host)
    if number is None or address is None:
        return None
    user = _USER.search(words[5]) if len(words) > 5 else None
    return Listener(address, number, int(user["pid"]) if user else None, user["name"] if user else None)


def _address(word: str) -> str | None:
    """``[::]``, ``*``, ``127.0.0.53%lo``, ``[::ffff:127.0.0.1]``: an address in its shortest form, or ``*``."""
    bare = word.strip("[]").partition("%")[0]
    if bare == "*":
        return "*"
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return "*" if address.is_unspecified else str(mapped or address)


def groups(text: str) -> tuple[str, ...]:
    """The names in lines of group(5)."""
    return tuple(line.split(":")[0] for line in lines(text) if line.count(":") >= 3)


def apt_state(text: str) -> AptState | None:
    """``reboot_required=…``, ``dpkg_lock=…``, then ``audit:`` and what dpkg complains about."""
    found = lines(text)
    end = found.index("audit:") if "audit:" in found else len(found)
    values = dict(line.split("=", 1) for line in found[:end] if "=" in line)
    if not values:
        return None
    lock = values.get("dpkg_lock")
    return AptState(
        reboot_required={"yes": True, "no": False}.get(values.get("reboot_required", "")),
        lock="" if lock == "free" else lock,
        audit=tuple(found[end + 1 :]),
    )


def gpu_users(text: str) -> tuple[GpuUser, ...]:
    """``pid, process_name, used_memory`` without a header; a name may hold commas."""
    return tuple(found for found in map(_gpu_user, lines(text)) if found)


def _gpu_user(line: str) -> GpuUser | None:
    head, _, rest = line.partition(",")
    name, _, used = rest.rpartition(",")
    pid = integer(head)
    if pid is None or not name:
        return None
    mib = integer(used.strip().removesuffix("MiB"))
    return GpuUser(pid, name.strip(), None if mib is None else mib * 1024**2)


def own_state(text: str) -> OwnState | None:
    """The JSON object of the ``edgeops`` probe. None where the answer is no such object."""
    document = json_object(text)
    if not document:
        return None
    state, unit, models = document.get("state"), document.get("unit"), document.get("models")
    return OwnState(
        state=state if isinstance(state, dict) else None,
        unit={str(key): str(value) for key, value in unit.items()} if isinstance(unit, dict) else None,
        current=text_at(document, "current"),
        models=_sizes(models) if isinstance(models, dict) else None,
    )


def _sizes(models: dict[Any, Any]) -> dict[str, int]:
    return {str(name): size for name, size in models.items() if type(size) is int and size >= 0}
