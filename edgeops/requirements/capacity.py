"""Requirements on room: memory, disk, and the port."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass

from edgeops.models import Model, draft_called, model_called
from edgeops.requirements.case import Case
from edgeops.requirements.verdict import Finding, failed, passed, skipped, warned
from edgeops.settings import Settings
from edgeops.snapshot.parsing.occupancy import Disk, Listener

GB, GIB = 1000**3, 1024**3

RELEASE_GB = 3.0
"""One release: the wheel unpacks to 1.2 GB, its venv to about 1.5 GB on aarch64; doubled for what is on its way."""
DOWNLOAD_GB = 1.0
"""The wheel (447 MB) and its dependencies while pip fetches them."""
CACHE_GB = 20.0
"""Engine bundles of a model of unknown size: the lower end of what the vendor's cache is known to take."""
FREE_GB = 2.0
"""Memory the vendor asks for beside the model: its installation guide, "Memory"."""


def memory(case: Case) -> Finding:
    wanted = "all memory usable by the kernel"
    here = case.facts.memory
    if here is None or here.total is None or here.available is None:
        return skipped(case.unread("meminfo"), wanted)
    found = f"{here.total / GIB:.0f} GiB, {here.available / GIB:.0f} GiB available"
    if case.spark and _hidden(case):
        remedy = "sudo apt-get install -y nvidia-spark-grub-kho && sudo reboot"
        return warned(f"{found}; the kernel keeps about 9 GiB to itself (KHO)", wanted, remedy)
    return passed(found, wanted)


def _hidden(case: Case) -> bool:
    """Kernel 7.0.0-1019 with Kexec Handover: https://forums.developer.nvidia.com/t/383926."""
    here = case.facts.memory
    return bool(here and here.cma_total == 0 and here.cma_free) and "kho=off" not in (case.facts.cmdline or "").split()


def model_memory(case: Case) -> Finding:
    """MemAvailable (plus what our own running service holds) against model, draft, 2 GB and ``memory_reserve_gib``."""
    here, needed = case.facts.memory, _needed(case.settings)
    wanted = f"{needed.total / GIB:.0f} GiB available: {needed.parts}"
    if here is None or here.available is None:
        return skipped(case.unread("meminfo"), wanted)
    held = _held(case)
    free = here.available + (held or 0)
    found = f"{free / GIB:.0f} GiB available" + (" with what our own service holds" if _serving(case) else "")
    if free >= needed.total:
        return (
            passed(found, wanted)
            if needed.complete
            else skipped(f"the size of {case.settings.model} is not known", wanted)
        )
    if _serving(case) and held is None and (here.total or 0) >= needed.total:
        return passed(f"{found} (not measured, it is running)", wanted)
    return failed(found, wanted, "stop what else uses memory: ps -eo pid,user,rss,args --sort=-rss | head")


@dataclass(frozen=True)
class _Need:
    """Bytes, how they add up, and whether every part is known."""

    total: float
    parts: str
    complete: bool


def _needed(settings: Settings) -> _Need:
    sizes = [("model", model_called(settings.model).size_gb)]
    if settings.draft:
        sizes.append(("draft", draft_called(settings.draft).size_gb or 0))
    parts = [(name, size * GB) for name, size in sizes if size]
    parts += [("working memory", FREE_GB * GB), ("reserve", settings.memory_reserve_gib * GIB)]
    words = ", ".join(f"{name} {size / GIB:.1f}" for name, size in parts)
    return _Need(sum(size for _, size in parts), words, sizes[0][1] is not None)


def _serving(case: Case) -> bool:
    return bool(case.facts.own and case.facts.own.main_pid)


def _held(case: Case) -> int | None:
    """What our own running service holds on the GPU; 0 where none runs, None where the driver does not say."""
    if not _serving(case) or case.facts.own is None:
        return 0
    users = [user.memory for user in case.facts.gpu_users or () if user.pid == case.facts.own.main_pid]
    return users[0] if users else None


@dataclass(frozen=True)
class _Share:
    """So many bytes of one directory's file system, and what for."""

    directory: str
    size: float
    purpose: str


def disk(case: Case) -> Finding:
    shares = list(_shares(case))
    if not case.facts.disks:
        return skipped(case.unread("df"), _words(shares))
    findings = []
    for place in dict.fromkeys(_disk(case.facts.disks, share.directory) for share in shares):
        if place is None:
            return skipped("not known: df left out a directory", _words(shares))
        here = [share for share in shares if _disk(case.facts.disks, share.directory) == place]
        findings.append((place, sum(share.size for share in here), _words(here)))
    short = [item for item in findings if item[0].available < item[1]]
    found = "; ".join(f"{place.available / GB:.1f} GB free on {place.mount}" for place, _, _ in short or findings)
    wanted = "; ".join(f"{size / GB:.1f} GB on {place.mount} ({words})" for place, size, words in short or findings)
    if short:
        return failed(found, wanted, f"make room: sudo du -xh -d 2 {short[0][0].mount} | sort -h | tail -20")
    return passed(found, wanted)


def _shares(case: Case) -> Iterator[_Share]:
    settings = case.settings
    yield _Share("/opt", RELEASE_GB * GB, "release")
    yield _Share("/tmp", DOWNLOAD_GB * GB, "download")
    if settings.draft and not settings.draft.startswith("/"):
        yield _Share("/var/lib", _missing(case, settings.draft, draft_called(settings.draft).size_gb), "draft")
    model = model_called(settings.model)
    missing = 0.0 if settings.model_is_local else _missing(case, settings.model, model.size_gb)
    yield _Share("/var/lib", missing, "model")
    built = not missing and case.facts.own and case.facts.own.current
    yield _Share("/var/lib", 0.0 if built else _cache(settings, model), "engine cache")


def _missing(case: Case, model: str, size_gb: float | None) -> float:
    """Bytes of ``model`` still to be downloaded; an unknown size counts as none."""
    return max((size_gb or 0) * GB - _staged(case, model), 0.0)


def _cache(settings: Settings, model: Model) -> float:
    """Bytes of engine bundles; none are counted for a directory of which nothing is known, as it may hold anything."""
    return (model.cache_gb or (0.0 if settings.model_is_local else CACHE_GB)) * GB


def _staged(case: Case, model: str) -> int:
    """Bytes of ``model`` that are on the host already (directories of staged models are called ``org--name``)."""
    own = case.facts.own
    return ((own.models if own else None) or {}).get(model.replace("/", "--"), 0)


def _words(shares: list[_Share]) -> str:
    return ", ".join(f"{share.purpose} {share.size / GB:.1f}" for share in shares if share.size)


def _disk(disks: tuple[Disk, ...], directory: str) -> Disk | None:
    """The file system that ``directory`` is on: the longest mount point above it."""
    above = [disk for disk in disks if disk.mount == "/" or f"{directory}/".startswith(disk.mount.rstrip("/") + "/")]
    return max(above, key=lambda disk: len(disk.mount), default=None)


def port(case: Case) -> Finding:
    settings = case.settings
    wanted = f"{settings.bind}:{settings.port} free"
    if case.facts.listeners is None:
        return skipped(case.unread("ports"), wanted)
    there = [one for one in case.facts.listeners if one.port == settings.port and _overlap(one.address, settings.bind)]
    others = [one for one in there if not _own(case, one)]
    if not others:
        return passed("in use by our own service" if there else "free", wanted)
    found = f"{others[0].address}:{others[0].port} is used by {_process(others[0])}"
    return failed(
        found, wanted, f"stop it, or set another `port:`. Who it is: sudo ss -ltnp 'sport = :{settings.port}'"
    )


def _own(case: Case, listener: Listener) -> bool:
    """Our own service's: its process; where that may not be seen, the address and port that it was deployed to."""
    own = case.facts.own
    if own is None or own.main_pid is None:
        return False
    if listener.pid is not None:
        return listener.pid == own.main_pid
    serving = (own.state or {}).get("serving")
    if not isinstance(serving, dict):
        return True
    return serving.get("port") == listener.port and _overlap(str(serving.get("address")), listener.address)


def _process(listener: Listener) -> str:
    return f"{listener.process} (pid {listener.pid})" if listener.process else "a process that this user may not see"


def _overlap(one: str, other: str) -> bool:
    """Whether two sockets on these addresses and one port would clash; a name that is no address clashes with all."""
    pair = {_plain(one), _plain(other)}
    return len(pair) == 1 or "*" in pair


def _plain(address: str) -> str:
    bare = "127.0.0.1" if address == "localhost" else address.strip("[]")
    try:
        known = ipaddress.ip_address(bare)
    except ValueError:
        return "*"
    return "*" if known.is_unspecified else str(known)
