"""A directory of this machine as it is to arrive on hosts: every file with its SHA-256."""

from __future__ import annotations

import hashlib
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import gevent

from edgeops.errors import EdgeopsError


@dataclass(frozen=True)
class Parcel:
    """``files``: relative name to SHA-256. ``size`` is bytes."""

    directory: Path
    files: Mapping[str, str]
    size: int


_locks: defaultdict[Path, threading.Lock] = defaultdict(threading.Lock)
_known: dict[Path, Parcel] = {}


def parcel_of(directory: Path) -> Parcel:
    """What is in ``directory``, names that begin with a dot left out. Hashed once a process: a fleet asks once a host.

    Raises EdgeopsError where it cannot be read, or nothing is there.
    """
    with _locks[directory]:
        if directory not in _known:
            # In a real thread: minutes of hashing here would keep every host waiting, and let their locks expire.
            _known[directory] = gevent.get_hub().threadpool.apply(_hashed, (directory,))
        return _known[directory]


def _hashed(directory: Path) -> Parcel:
    try:
        found = {str(path.relative_to(directory)): path for path in _files(directory)}
        parcel = Parcel(
            directory,
            {name: _sha256(path) for name, path in sorted(found.items())},
            sum(path.stat().st_size for path in found.values()),
        )
    except OSError as error:
        raise EdgeopsError(f"{directory} on this machine cannot be read: {error}") from error
    if not parcel.files:
        raise EdgeopsError(f"there is no file in {directory} on this machine")
    return parcel


def _files(directory: Path) -> Iterator[Path]:
    for path in sorted(directory.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield from _files(path)
        elif path.is_file():
            yield path


def _sha256(path: Path) -> str:
    summary = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            summary.update(piece)
    return summary.hexdigest()
