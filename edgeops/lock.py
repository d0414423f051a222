"""One operator at a time on a host: a lock that says who holds it, and expires by itself when its holder is gone."""

from __future__ import annotations

import getpass
import os
import secrets
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from typing import Any

import gevent

from edgeops import layout
from edgeops.engine import Session
from edgeops.engine.script import Program, run_script
from edgeops.errors import EdgeopsError, LockedError
from edgeops.locations import DEPLOYS

STALE_S = 45.0
"""A crashed holder blocks nobody for longer."""
BEAT_S = 10.0
SILENCE_S = 180.0
"""Who has answered no heartbeat for so long is frozen, though its kernel may still keep the connection: a machine that
ran out of unified memory does. A busy one answers late, and does answer."""
_PROGRAM = DEPLOYS / "on_host" / "lock.py"


@dataclass(frozen=True)
class Claim:
    """Who wants the lock, and what for. ``run`` resumes itself: a run's own earlier lock does not keep it out.

    ``kept``: it is held anyway, for longer than the work at hand, which does not release it.
    """

    purpose: str
    run: str
    owner: str = field(default_factory=getpass.getuser)
    host: str = field(default_factory=socket.gethostname)
    pid: int = field(default_factory=os.getpid)
    token: str = field(default_factory=lambda: secrets.token_hex(8))
    since: str = field(default_factory=lambda: datetime.now(timezone.utc).isoformat(timespec="seconds"))
    kept: bool = False

    @property
    def entry(self) -> dict[str, Any]:
        """What is written into the lock."""
        return {key: value for key, value in asdict(self).items() if key != "kept"}


@dataclass(frozen=True)
class Holder:
    """Who holds a lock. ``age_s`` is the time since the last sign of life."""

    owner: str
    host: str
    pid: int
    purpose: str
    run: str
    since: str
    token: str
    age_s: float

    def __str__(self) -> str:
        seen = f"last sign of life {self.age_s:.0f} s ago"
        return (
            f"{self.owner}@{self.host} (pid {self.pid}) for {self.purpose}, run {self.run}, since {self.since}, {seen}"
        )


class LockLostError(EdgeopsError):
    """Somebody took the lock while we were at work: what is on the host now is theirs."""


@contextmanager
def locked(session: Session, claim: Claim, steal: str | None = None) -> Iterator[None]:
    """Hold the host's lock for the body. Raises LockedError with the holder, LockLostError when it is taken away.

    ``steal`` is the token of the holder whose lock may be taken, as shown to the operator before.
    """
    found = _ask(session, "acquire", claim, steal)
    if found is not None:
        raise LockedError(f"locked by {found}", _WAIT)
    worker = gevent.getcurrent()
    heart = gevent.spawn(_beat, session, claim, worker)
    try:
        yield
    finally:
        heart.kill()
        if not claim.kept:
            with gevent.Timeout(20, False):
                _release(session, claim)


_WAIT = (
    f"Wait until that is done; one that is gone loses its lock after {STALE_S:g} s. "
    "`edgeops deploy --steal-lock` shows who holds it, and asks before it takes it."
)


def still_held(session: Session, claim: Claim) -> None:
    """Raise LockLostError where the lock is not ours any more: before what must not be done to another's work.

    The heartbeat notices that too, and later: this machine may have slept.
    """
    taken_by = _ask(session, "renew", claim, None)
    if taken_by is not None:
        raise _lost(taken_by)


def _lost(taken_by: Holder) -> LockLostError:
    whom = f"{taken_by}" if taken_by.token else "somebody who has released it since"
    remedy = "Look with `edgeops audit` and `edgeops status` what was done there meanwhile."
    return LockLostError(f"the lock was taken away by {whom}; nothing more was done here", remedy)


def holder(session: Session) -> Holder | None:
    """Who holds the host's lock now."""
    return _ask(session, "show", Claim("", ""), None)


def question() -> Program:
    """The program that says who holds the lock, to be run beside others; ``holder_in`` reads its answer."""
    return Program(_PROGRAM, _plan("show", Claim("", ""), None))


def holder_in(answer: Mapping[str, Any]) -> Holder | None:
    """Who holds the lock, in the answer of the program."""
    return _holder(answer["holder"]) if answer.get("event") in ("held", "lost") else None


def _plan(verb: str, claim: Claim, steal: str | None) -> dict[str, Any]:
    return {"verb": verb, "path": layout.LOCK_FILE, "stale_s": STALE_S, "entry": claim.entry, "steal": steal}


def _beat(session: Session, claim: Claim, worker: gevent.Greenlet) -> None:
    """Renew until killed. A connection that is gone is noticed by the work itself, a frozen host only here."""
    answered = time.monotonic()
    while True:
        gevent.sleep(BEAT_S)
        try:
            taken_by = _ask(session, "renew", claim, None)
            answered = time.monotonic()
        except EdgeopsError:
            if time.monotonic() - answered > SILENCE_S:
                session.give_up(f"the host has answered nothing for {SILENCE_S:g} s: it may be frozen")
                return
            continue
        if taken_by is not None:
            worker.kill(_lost(taken_by), block=False)
            return


def _release(session: Session, claim: Claim) -> None:
    try:
        _ask(session, "release", claim, None)
    except EdgeopsError:
        return  # the connection is gone; the lock expires


def _ask(session: Session, verb: str, claim: Claim, steal: str | None) -> Holder | None:
    answers: dict[str, Any] = {}
    answer = run_script(session, _PROGRAM, _plan(verb, claim, steal), answers.update, timeout=30, sudo=True)
    if "event" not in answers:
        reason = (answer.err or answer.out).strip().splitlines()
        raise EdgeopsError(f"the lock cannot be asked: {reason[-1] if reason else 'no answer'}")
    return holder_in(answers)


def _holder(entry: Mapping[str, Any]) -> Holder:
    words = {name: str(entry.get(name, "")) for name in ("owner", "host", "purpose", "run", "since", "token")}
    pid, age = entry.get("pid"), entry.get("age_s")
    return Holder(**words, pid=pid if isinstance(pid, int) else 0, age_s=age if isinstance(age, float) else 0.0)
