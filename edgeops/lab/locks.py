"""Who may change what at the same time: one caller a workspace, one caller for what the whole machine shares."""

from __future__ import annotations

import fcntl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from edgeops.lab.cache import Report
from edgeops.lab.places import LOCKS

_OURS = threading.Lock()
"""Between the hosts of one call: under gevent a wait for the file alone would keep its owner from running."""


@contextmanager
def workspace_lock(state: Path, report: Report) -> Iterator[None]:
    """The hosts of one workspace."""
    with _held(state.name, report, "another `edgeops lab` in this directory"):
        yield


@contextmanager
def machine_lock(report: Report) -> Iterator[None]:
    """The cache, and the choice of addresses."""
    with _OURS, _held("machine", report, "another `edgeops lab` that builds what this one needs too"):
        yield


@contextmanager
def _held(name: str, report: Report, other: str) -> Iterator[None]:
    LOCKS.mkdir(parents=True, exist_ok=True)
    with (LOCKS / name).open("w") as lock:
        if not _taken(lock.fileno()):
            report(f"waiting for {other}")
            while not _taken(lock.fileno()):
                time.sleep(0.1)
        yield


def _taken(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
