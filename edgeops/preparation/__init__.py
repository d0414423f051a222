"""``edgeops prepare``: the safe remedies of what ``edgeops check`` found, shown first, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from edgeops import engine
from edgeops.deployment.phases import Listener, PhaseLog
from edgeops.engine import Access, HostResult, Session
from edgeops.errors import EdgeopsError, LockedError, RequirementError
from edgeops.inventory import Host
from edgeops.lock import Claim, locked
from edgeops.preparation import flow
from edgeops.preparation.auditing import note_in_audit
from edgeops.preparation.flow import HostPlan
from edgeops.preparation.report import LOCK, HostReport, Trouble, document, exit_code
from edgeops.requirements import refuse_unknown_ids
from edgeops.runs import new_run

__all__ = ["Preparation", "carry_out", "document", "exit_code", "give_up_missing", "survey"]

LOOK_S = 400.0
DEADLINE_S = 2 * 3600.0
"""For one host, a wait for somebody else's package lock included."""

_WORDS = {"unreachable": "not reached", "timeout": "no answer in time"}


@dataclass
class Preparation:
    """All hosts of one call, as far as it got."""

    plans: dict[str, HostPlan]
    interrupted: bool = False

    @property
    def reports(self) -> list[HostReport]:
        return [plan.report for plan in self.plans.values()]

    @property
    def pending(self) -> tuple[str, ...]:
        """Hosts on which there is something to do."""
        return tuple(name for name, plan in self.plans.items() if plan.changes)


@dataclass(frozen=True)
class Reach:
    """How hosts are reached: how many at once, with which rights, and who listens."""

    access: Access
    parallel: int
    tell: Listener


def survey(hosts: Sequence[Host], reach: Reach) -> Preparation:
    """Find out what would be done on each host; changes nothing, on no host. Raises ConfigurationError."""
    for host in hosts:
        refuse_unknown_ids(host.settings)
    preparation = Preparation({host.name: HostPlan(HostReport(host.name)) for host in hosts})
    _on_each(hosts, flow.plan, preparation, (reach, LOOK_S))
    return preparation


def carry_out(hosts: Sequence[Host], preparation: Preparation, reach: Reach) -> None:
    """Do it on the hosts that have something to do; what goes wrong on one stays there."""
    pending = [host for host in hosts if host.name in preparation.pending]
    _on_each(pending, _carry_out, preparation, (reach, DEADLINE_S))


def give_up_missing(preparation: Preparation) -> None:
    """For a dry run: what the package lists do not have as they are is refused."""
    for name in preparation.pending:
        report = preparation.plans[name].report
        try:
            flow.refuse_missing_for_good(preparation.plans[name])
        except RequirementError as refused:
            report.changes = []
            report.fail("refused", _trouble(preparation.plans[name], refused.message, refused.remedy))


_Work = Callable[[Session, HostPlan, PhaseLog], None]


def _carry_out(session: Session, plan: HostPlan, log: PhaseLog) -> None:
    """Under the host's lock, and with a line in its audit log where anything was begun."""
    claim = Claim("prepare", new_run("prepare").name)
    with ExitStack() as held:
        with log.phase(LOCK):
            held.enter_context(locked(session, claim))
        try:
            flow.carry_out(session, plan, log)
        finally:
            note_in_audit(session, plan, claim)


def _on_each(hosts: Sequence[Host], work: _Work, preparation: Preparation, how: tuple[Reach, float]) -> None:
    reach, deadline = how

    def step(session: Session) -> None:
        plan = preparation.plans[session.host.name]
        try:
            work(session, plan, PhaseLog(session.host.name, reach.tell, plan.report.phases))
        except EdgeopsError as error:
            _note(plan, error)

    if not hosts:
        return
    try:
        results = engine.run(hosts, step, deadline=deadline, parallel=reach.parallel, access=reach.access)
    except engine.Interrupted as interrupted:
        preparation.interrupted, results = True, interrupted.results
    for result in results.values():
        _note_the_end(preparation.plans[result.host.name], result)


def _note(plan: HostPlan, error: EdgeopsError) -> None:
    """A refusal comes before anything is installed, so what was planned is not said to have been done."""
    refused, locked_out = isinstance(error, (RequirementError, LockedError)), isinstance(error, LockedError)
    if refused:
        plan.report.changes = []
    remedy = "wait until that has ended, and run the same command again" if locked_out else error.remedy
    plan.report.fail("refused" if refused else "failed", _trouble(plan, error.message, remedy))


def _note_the_end(plan: HostPlan, result: HostResult[None]) -> None:
    """Where the engine had the last word: unreachable, out of time, interrupted, or a mistake of ours."""
    if result.status == "ok":
        return
    state = "an installation that was begun runs to its end on the host" if plan.began else "nothing was installed"
    cause = f"{_WORDS[result.status]}: {result.error}" if result.status in _WORDS else result.error or "not begun"
    remedy = result.remedy or ("run the same command again: it does what is left" if plan.began else "")
    plan.report.fail("failed", _trouble(plan, f"{cause}; {state}", remedy))


def _trouble(plan: HostPlan, message: str, remedy: str) -> Trouble:
    return Trouble(plan.report.phase, message, remedy)
