"""A rollout of several waves locks all its hosts before the first is changed, and until the last one is done.

So two rollouts over overlapping hosts cannot mix on them: whoever comes second has changed nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import gevent
from gevent.event import Event

from edgeops import engine
from edgeops.deployment import Reach
from edgeops.engine import HostResult, Session
from edgeops.errors import LockedError
from edgeops.inventory import Host
from edgeops.lock import Claim, locked

LONGEST_S = 30 * 24 * 3600.0
"""A rollout may wait for its operator's word; its hosts stay locked meanwhile."""
_GOODBYE_S = 30.0


@dataclass
class Reservation:
    """Which hosts have answered, and whose locks others hold."""

    claim: Claim
    steal: Mapping[str, str]
    missing: set[str]
    others: dict[str, LockedError] = field(default_factory=dict)
    known: Event = field(default_factory=Event)
    over: Event = field(default_factory=Event)

    def hold(self, session: Session) -> None:
        """Lock one host until it is over."""
        with locked(session, self.claim, self.steal.get(session.host.name)):
            self._answered(session.host.name)
            self.over.wait()

    def ended(self, result: HostResult[None]) -> None:
        """One that cannot be locked for another reason than a holder says so when it is to be worked on."""
        if isinstance(result.cause, LockedError):
            self.others[result.host.name] = result.cause
        self._answered(result.host.name)

    def _answered(self, name: str) -> None:
        self.missing.discard(name)
        if not self.missing:
            self.known.set()


@contextmanager
def reserved(
    hosts: Sequence[Host], claim: Claim, steal: Mapping[str, str], reach: Reach
) -> Iterator[Mapping[str, LockedError]]:
    """Hold the locks of ``hosts`` for the body, which gets those that others hold, by host: the body then must not
    change any. A host that cannot be reached is not waited for.
    """
    reservation = Reservation(claim, steal, {host.name for host in hosts})
    how = {"deadline": LONGEST_S, "parallel": reach.parallel, "access": reach.access}
    keeper = gevent.spawn(engine.run, hosts, reservation.hold, on_end=reservation.ended, all_at_once=True, **how)
    try:
        reservation.known.wait()
        yield reservation.others
    finally:
        reservation.over.set()
        keeper.join(timeout=_GOODBYE_S)
        keeper.kill()
