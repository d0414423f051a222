"""What the service said, from the host's journal.

To follow, the journal is asked again from its last cursor: a ``journalctl -f`` would stay behind on the host when the
connection ends, until the service says its next word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import gevent

from edgeops import engine
from edgeops.engine import Access, HostResult, Session
from edgeops.errors import EdgeopsError
from edgeops.inventory import Host
from edgeops.layout import UNIT
from edgeops.quoting import shell

LONGEST_S = 30 * 24 * 3600.0
AGAIN_S = 1.0
_CURSOR = "-- cursor: "

Tell = Callable[[str, str], None]
"""Takes the host's name and one line."""


@dataclass(frozen=True)
class Wanted:
    """So many of the last lines; ``follow``: and what comes after them, until Ctrl-C."""

    lines: int = 100
    follow: bool = False


def read(
    hosts: Sequence[Host], wanted: Wanted, access: Access, parallel: int, tell: Tell
) -> dict[str, HostResult[None]]:
    """Tell each line as it is read. engine.Interrupted on Ctrl-C."""

    def work(session: Session) -> None:
        # Without a line there is no cursor, so one is read even where none is wanted.
        cursor = _tell_new(session, ("-n", str(wanted.lines or 1)), tell if wanted.lines else _nothing)
        while wanted.follow:
            gevent.sleep(AGAIN_S)
            since = (f"--after-cursor={cursor}",) if cursor else ()
            cursor = _tell_new(session, since, tell) or cursor

    return engine.run(hosts, work, deadline=LONGEST_S, parallel=parallel, access=access)


def _nothing(host: str, line: str) -> None:
    """For a line that is read for its cursor alone."""


def _tell_new(session: Session, since: tuple[str, ...], tell: Tell) -> str:
    """Tell the lines and give the journal's new cursor, empty where it says none."""
    command = shell("journalctl", "-u", UNIT, "--no-pager", "-o", "short-iso", "--show-cursor", *since)
    answer = session.run(command, sudo=True, timeout=60)
    if answer.rc and answer.err.strip():  # without a word it means that there are no lines
        last = answer.err.strip().splitlines()[-1]
        raise EdgeopsError(f"the journal cannot be read: {last}", "Reading it needs sudo on the host (--ask-sudo).")
    cursor = ""
    for line in answer.out.splitlines():
        if line.startswith(_CURSOR):
            cursor = line.removeprefix(_CURSOR)
        elif not line.startswith("-- "):
            tell(session.host.name, line)
    return cursor
