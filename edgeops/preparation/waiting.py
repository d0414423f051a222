"""Waiting for somebody else's apt, from here: a wait on the host would go on, and install, after an interruption."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from edgeops.deployment.phases import PhaseNotes
from edgeops.preparation.causes import PackagesLocked

T = TypeVar("T")

LOCK_WAIT_S = 600.0
"""Ubuntu's own timers hold the package lock for minutes after boot."""
_PAUSE_S = 3.0


def unlocked(work: Callable[[], T], notes: PhaseNotes) -> T:
    """Call ``work`` until no lock keeps it out, for LOCK_WAIT_S at most. Returns and raises what ``work`` does."""
    end, told = time.monotonic() + LOCK_WAIT_S, ""
    while True:
        try:
            return work()
        except PackagesLocked as locked:
            if time.monotonic() > end:
                raise
            if locked.message != told:
                notes.say(f"waiting for another program: {locked.message}")
            told = locked.message
            time.sleep(_PAUSE_S)
