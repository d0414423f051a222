"""The same work on several hosts, side by side: one report a host, whatever happens to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from edgeops import engine
from edgeops.deployment.context import Options, Refused, RolledBack, Work, log_tail
from edgeops.deployment.phases import Listener, PhaseLog
from edgeops.deployment.report import HostReport, Outcome, Trouble
from edgeops.engine import Access, HostResult, Session
from edgeops.errors import EdgeopsError, LockedError
from edgeops.inventory import Host
from edgeops.lock import Claim, LockLostError
from edgeops.requirements import Verdict
from edgeops.runs import Run

SPARE_S = 3 * 3600.0
"""Beside waiting for the server: installation over a slow line, and the benchmark."""


@dataclass
class Batch:
    """A run over some hosts, as far as it got. ``refusals``: the failed requirements of each refused host.

    ``steal``: by host, the token of the lock that the operator decided to take.
    """

    run: Run
    options: Options
    purpose: str = "deploy"
    reports: dict[str, HostReport] = field(default_factory=dict)
    refusals: dict[str, tuple[Verdict, ...]] = field(default_factory=dict)
    steal: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False
    claim: Claim | None = None
    """What the hosts are locked by already; None where each is locked for its own work."""
    ended: Callable[[HostReport], None] = lambda _report: None
    """Told of each host as soon as it is known how it ended, while others are still at work."""

    @property
    def hosts(self) -> list[HostReport]:
        return list(self.reports.values())


@dataclass(frozen=True)
class Reach:
    """How hosts are reached: how many at once, and with which rights."""

    access: Access = field(default_factory=Access)
    parallel: int = 20


def on_hosts(
    hosts: Sequence[Host], act: Callable[[Work], None], batch: Batch, reach: Reach, tell: Listener, wave: int = 1
) -> None:
    """Call ``act`` for each host and fill in ``batch``. An error is its host's report, never an exception."""
    batch.reports |= {host.name: HostReport(host.name, wave=wave) for host in hosts}
    deadline = max((host.settings.ready_timeout_s for host in hosts), default=0) * 2 + SPARE_S

    def work(session: Session) -> None:
        _act_on(session, act, batch, tell)

    def note(result: HostResult[None]) -> None:
        report = batch.reports[result.host.name]
        _note_the_end(report, result)
        batch.ended(report)

    try:
        engine.run(hosts, work, deadline=deadline, parallel=reach.parallel, access=reach.access, on_end=note)
    except engine.Interrupted as interrupted:
        batch.interrupted = True
        for result in interrupted.results.values():
            if result.status in ("pending", "running"):
                note(result)


def _act_on(session: Session, act: Callable[[Work], None], batch: Batch, tell: Listener) -> None:
    name = session.host.name
    report, claim = batch.reports[name], batch.claim or Claim(batch.purpose, batch.run.name)
    log = PhaseLog(name, tell, report.phases)
    work = Work(session, batch.options, log, report, batch.run, claim, steal=batch.steal.get(name))
    try:
        act(work)
    except Refused as refused:
        batch.refusals[name] = refused.verdicts
        report.fail("refused", Trouble("judge", refused.message, refused.remedy))
    except LockedError as error:
        report.fail("skipped", Trouble("lock", error.message, error.remedy))
    except LockLostError as error:
        report.fail("failed", Trouble("lock", error.message, error.remedy))
    except EdgeopsError as error:
        outcome: Outcome = "rolled_back" if isinstance(error, RolledBack) else "failed"
        message = error.message if _is_switched(report) or not work.began else f"{error.message}; {_state(report)}"
        report.fail(outcome, Trouble(_failed_phase(report), message, error.remedy, log_tail(error)))


def _note_the_end(report: HostReport, result: HostResult[None]) -> None:
    """Where the engine had the last word: unreachable, out of time, interrupted, or a mistake of ours."""
    if result.status == "ok":
        return
    if result.status == "pending":
        report.fail("skipped", Trouble("connect", "not begun", "Run the same command again."))
        return
    outcome = report.outcome if report.undone or report.outcome == "deployed" else "failed"
    why = "interrupted, and not waited for" if result.status == "running" else result.error or result.status
    message = f"{why}; {_state(report)}" if report.phases else why
    report.fail(outcome, Trouble(_failed_phase(report) or _last_phase(report), message, result.remedy))


def _state(report: HostReport) -> str:
    """How the host is, for a run that was cut off."""
    if report.undone:
        return report.undone
    if report.outcome == "deployed":
        return "the new service serves, verified and recorded"
    if _is_switched(report):
        return "the switch was begun; run the same command again, or look with `edgeops status`"
    return "the running service was not touched" if report.previous else "nothing is served there yet"


def _is_switched(report: HostReport) -> bool:
    """Whether the switch was begun, however it ended."""
    return any(phase.name in ("switch", "remove") for phase in report.phases)


def _failed_phase(report: HostReport) -> str:
    return next((phase.name for phase in report.phases if phase.status == "failed"), "")


def _last_phase(report: HostReport) -> str:
    return report.phases[-1].name if report.phases else "connect"
