"""Sweeps on several hosts, side by side; a host that was lost in the middle is gone back to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from edgeops import engine, smoke
from edgeops.engine import HostResult, Session
from edgeops.engine.session import HostLost
from edgeops.errors import ConfigurationError, LockedError
from edgeops.inventory import Host
from edgeops.lock import Claim, locked
from edgeops.runs import Run
from edgeops.smoke import Reach
from edgeops.smoke.hosts import LONGEST_S, unmeasured
from edgeops.sweep.host import HostSweep, Then, nothing_more, sweep_host
from edgeops.sweep.plan import Plan
from edgeops.trial import TRIAL_GRACE_S, put_back_after

_SPARE_S = 1800.0
_RECOVERY_S = 900.0


@dataclass
class Swept:
    """What became of the hosts: entries of ``edgeops.smoke/1`` by host, and how each was left, in words."""

    entries: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    sweeps: dict[str, HostSweep] = field(default_factory=dict)
    interrupted: bool = False

    @property
    def document_hosts(self) -> list[dict[str, Any]]:
        """In the order of the hosts."""
        return [entry for entries in self.entries.values() for entry in entries]

    @property
    def states(self) -> dict[str, str]:
        return {name: sweep.state for name, sweep in self.sweeps.items()}


@dataclass(frozen=True)
class Course:
    """What is measured, where it is kept, who hears of it, and what follows on each host."""

    plan: Plan
    run: Run
    tell: Callable[[str, str], None]
    then: Then = nothing_more


def on_hosts(hosts: Sequence[Host], course: Course, reach: Reach) -> Swept:
    """Measure on every host what the plan asks for; one that serves that anyway is measured without a restart.

    Raises ConfigurationError when the plan fits none of the hosts, LockedError when others are at work on all of them.
    After Ctrl-C the result says how each host is.
    """
    plan, run, claim = course.plan, course.run, Claim(course.plan.purpose, course.run.name)
    swept = Swept(
        sweeps={host.name: HostSweep(host.name, plan, run, claim, partial(course.tell, host.name)) for host in hosts}
    )

    def work(session: Session) -> list[dict[str, Any]]:
        mine = swept.sweeps[session.host.name]
        if plan.needs_restarts(session.host.settings):
            return sweep_host(session, mine, course.then)
        return [smoke.measure(session, plan.options, run, mine.tell)]

    try:
        results = engine.run(
            hosts,
            work,
            deadline=_deadline(hosts, plan),
            parallel=reach.parallel,
            access=reach.access,
            grace=TRIAL_GRACE_S,
        )
    except engine.Interrupted as interrupted:
        swept.interrupted, results = True, interrupted.results
    _go_back(results, swept, reach)
    if not swept.interrupted:
        _refuse_misfits(results)
    swept.entries = {host.name: _entries(results[host.name], swept.sweeps[host.name]) for host in hosts}
    return swept


def _deadline(hosts: Sequence[Host], plan: Plan) -> float:
    """Seconds: each launch may take two starts, and its measurement."""
    longest = max(len(plan.arms(host.settings)) * (2 * host.settings.ready_timeout_s + _SPARE_S) for host in hosts)
    return LONGEST_S + longest


def _go_back(results: dict[str, HostResult[Any]], swept: Swept, reach: Reach) -> None:
    """Put production back on the hosts whose connection was lost while something else was served."""
    lost = [
        result.host
        for result in results.values()
        if _was_lost(result) and (trial := swept.sweeps[result.host.name].trial) is not None and trial.changed
    ]
    if not lost:
        return

    def work(session: Session) -> None:
        mine = swept.sweeps[session.host.name]
        assert mine.production is not None
        with locked(session, mine.claim):  # our own run's lock, which the lost connection could not release
            mine.state = put_back_after(session, mine.production, mine.log)

    for host in lost:
        swept.sweeps[host.name].tell("the connection was lost: going back to put production back")
    engine.run(lost, work, deadline=_RECOVERY_S, parallel=reach.parallel, access=reach.access, grace=TRIAL_GRACE_S)


def _was_lost(result: HostResult[Any]) -> bool:
    return isinstance(result.cause, HostLost) or result.status == "timeout"


def _refuse_misfits(results: dict[str, HostResult[Any]]) -> None:
    """Where no host was worked on, and all for one kind of reason, that is the command's own end and exit code."""
    causes = [result.cause for result in results.values()]
    for kind in (ConfigurationError, LockedError):
        found = [cause for cause in causes if isinstance(cause, kind)]
        if found and len(found) == len(causes):
            raise found[0]


def _entries(result: HostResult[list[dict[str, Any]]], sweep: HostSweep) -> list[dict[str, Any]]:
    if result.value is not None:
        return result.value
    touched = sweep.trial is not None and sweep.state not in result.error
    message = f"{result.error}; {sweep.state}" if touched else result.error
    return [unmeasured(result.host.name, message, result.remedy)]
