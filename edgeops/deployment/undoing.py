"""Back to what was there before the switch, verified, whatever the reason; an interruption is one too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath

import gevent

from edgeops.deployment import serving
from edgeops.deployment.context import RolledBack, StartFailed, Work, log_tail
from edgeops.deployment.phases import PhaseNotes, sentence
from edgeops.engine.session import HostLost
from edgeops.errors import EdgeopsError
from edgeops.lock import LockLostError, still_held

DEADLINE_S = 3600.0
"""The host's own deadline is spent when something has to be undone."""


@contextmanager
def undone_on_failure(work: Work) -> Iterator[None]:
    """Whatever ends the body early, the former service is put back; a body that recorded its own end is left alone."""
    try:
        yield
    except BaseException as why:
        if work.report.outcome != "deployed":
            undo(work, why)
        raise


def undo(work: Work, why: BaseException) -> None:
    """Put back what the switch replaced, and raise what became of the host; after an interruption return instead."""
    reason, remedy, tail = sentence(why), getattr(why, "remedy", ""), log_tail(why)
    if isinstance(why, HostLost):
        work.report.release = None
        raise HostLost(f"{reason}, when the switch was begun; what is served there now is not known", _LOST) from why
    try:
        with gevent.Timeout(DEADLINE_S), work.log.phase("undo") as notes:
            still_held(work.session, work.claim)
            notes.say(f"putting back what was there before: {reason}")
            notes.detail = _put_back(work, notes)
    except LockLostError as lost:
        work.report.release = None
        raise lost from why
    except EdgeopsError as worse:
        work.report.release = None
        message = f"{reason}. Putting the former service back failed too: {worse.message}"
        raise StartFailed(message, worse.remedy, tail or log_tail(worse)) from why
    former = work.found.served_before
    work.report.undone = notes.detail
    work.report.outcome = "rolled_back" if former else "failed"
    if isinstance(why, Exception):
        kind = RolledBack if former else StartFailed
        raise kind(f"{reason}. {notes.detail[0].upper()}{notes.detail[1:]}.", remedy, tail) from why


_LOST = "When it is back, run the same command again: it goes on from what it finds there."


def _put_back(work: Work, notes: PhaseNotes) -> str:
    """Returns the sentence that says how the host is now."""
    work.session.deploy("undo")
    if not work.found.served_before:
        return "there was no service before: it is stopped and removed again"
    former = serving.recorded(work.found.state, work.settings.ready_timeout_s)
    if former is None:
        return "the former unit is back, but nothing is recorded of it to verify it by"
    serving.come_up(work.session, former, notes)
    serving.verify(work.session, former, notes)
    return f"the former service serves again, verified (release {PurePosixPath(work.found.current or '').name})"
