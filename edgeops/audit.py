"""Who changed what on a host, when, from where, and how it ended: lines on the host itself, only ever appended."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from typing import Any

from edgeops import layout
from edgeops.engine import Session
from edgeops.engine.session import HostLost
from edgeops.errors import EdgeopsError
from edgeops.lock import Claim
from edgeops.quoting import shell


@dataclass(frozen=True)
class Entry:
    """One change. ``before`` and ``after`` are releases, ``served`` and ``serves`` how they decode; ``why`` says why it
    was rolled back or failed, else empty.
    """

    what: str
    outcome: str
    who: str
    run: str
    before: str | None = None
    after: str | None = None
    served: str = ""
    serves: str = ""
    why: str = ""
    changes: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    at: str = field(default_factory=lambda: datetime.now(timezone.utc).isoformat(timespec="seconds"))


def who(claim: Claim) -> str:
    """The operator and the machine they sat at."""
    return f"{claim.owner}@{claim.host}"


def note(session: Session, entry: Entry) -> None:
    """``append`` for a ``finally``: what is on its way out goes on, and says so where the log could not be written.

    A connection that is gone is not tried again. Raises EdgeopsError where nothing else went wrong.
    """
    error = sys.exc_info()[1]
    if isinstance(error, HostLost):
        return
    try:
        append(session, entry)
    except EdgeopsError as unwritten:
        if error is None:
            raise
        if isinstance(error, EdgeopsError):  # a full disk may be why both failed: the first is what has to be known
            error.also(unwritten.message)


def append(session: Session, entry: Entry) -> None:
    """Add ``entry`` to the host's audit log. Raises EdgeopsError where it cannot be written."""
    line = json.dumps(asdict(entry), ensure_ascii=False) + "\n"
    path = shell(layout.AUDIT_FILE)
    command = f"mkdir -p {shell(layout.RECORDS)} && cat >> {path} && chmod 644 {path}"
    answer = session.run(command, sudo=True, stdin=line, timeout=30)
    if answer.rc:
        raise EdgeopsError(f"the audit log cannot be written: {(answer.err or answer.out).strip()[-200:]}")


def read(session: Session) -> list[dict[str, Any]]:
    """All entries of the host, oldest first; lines that are none are passed over."""
    answer = session.run(f"cat {shell(layout.AUDIT_FILE)} 2>/dev/null", timeout=60)
    return list(_objects(answer.out))


def _objects(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            yield entry
