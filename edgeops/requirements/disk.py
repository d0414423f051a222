"""The requirement on disk: what will be written, where, and whether it fits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from edgeops.models import Model, draft_called, model_called
from edgeops.requirements.case import Case
from edgeops.requirements.verdict import Finding, failed, passed, skipped
from edgeops.settings import Settings
from edgeops.snapshot.parsing.occupancy import Disk

GB = 1000**3

RELEASE_GB = 3.0
"""One release: the wheel unpacks to 1.2 GB, its venv to about 1.5 GB on aarch64; doubled for what is on its way."""
DOWNLOAD_GB = 1.0
"""The wheel (447 MB) and its dependencies while pip fetches them."""
CACHE_GB = 20.0
"""Engine bundles of a model of unknown size: the lower end of what the vendor's cache is known to take."""


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
