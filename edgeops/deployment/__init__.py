"""``edgeops deploy``: check, install, serve, prove, measure; undone on failure; a second run changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from edgeops import engine
from edgeops.deployment.context import Options, Refused, RolledBack, Work, log_tail
from edgeops.deployment.flow import deploy_host
from edgeops.deployment.phases import Listener, PhaseLog
from edgeops.deployment.report import HostReport, Outcome, Trouble, document, exit_code
from edgeops.engine import Access, HostResult, Session
from edgeops.errors import EdgeopsError, LockedError
from edgeops.inventory import Host
from edgeops.lock import Claim
from edgeops.requirements import Verdict, refuse_unknown_ids
from edgeops.runs import Run, new_run

__all__ = ["Deployment", "Options", "deploy", "document", "exit_code"]

_SPARE_S = 3 * 3600.0
"""Beside waiting for the server: installation over a slow line, and the benchmark."""


@dataclass
class Deployment:
    """A run over some hosts, as far as it got. ``refusals``: the failed requirements of each refused host."""

    run: Run
    reports: dict[str, HostReport]
    refusals: dict[str, tuple[Verdict, ...]] = field(default_factory=dict)
    interrupted: bool = False

    @property
    def hosts(self) -> list[HostReport]:
        return list(self.reports.values())


@dataclass(frozen=True)
class Reach:
    """How hosts are reached: how many at once, and with which rights."""

    access: Access = field(default_factory=Access)
    parallel: int = 20


def deploy(hosts: Sequence[Host], options: Options, reach: Reach, tell: Listener) -> Deployment:
    """Deploy to every host, side by side; what goes wrong on one stays there. Keeps the result as files of the run."""
    for host in hosts:
        refuse_unknown_ids(host.settings)
    deployment = Deployment(new_run("deploy"), {host.name: HostReport(host.name) for host in hosts})
    deadline = max(host.settings.ready_timeout_s for host in hosts) * 2 + _SPARE_S

    def work(session: Session) -> None:
        _deploy_one(session, options, deployment, tell)

    try:
        results = engine.run(hosts, work, deadline=deadline, parallel=reach.parallel, access=reach.access)
    except engine.Interrupted as interrupted:
        deployment.interrupted, results = True, interrupted.results
    for result in results.values():
        _note_the_end(deployment.reports[result.host.name], result)
    if not options.dry_run:
        deployment.run.write("deploy.json", document(deployment.run.name, deployment.hosts))
    return deployment


def _deploy_one(session: Session, options: Options, deployment: Deployment, tell: Listener) -> None:
    report = deployment.reports[session.host.name]
    claim = Claim("deploy", deployment.run.name)
    work = Work(session, options, PhaseLog(session.host.name, tell, report.phases), report, deployment.run, claim)
    try:
        deploy_host(work)
    except Refused as refused:
        deployment.refusals[report.host] = refused.verdicts
        report.fail("refused", Trouble("judge", refused.message, refused.remedy))
    except LockedError as error:
        report.fail("skipped", Trouble("lock", error.message, error.remedy))
    except EdgeopsError as error:
        outcome: Outcome = "rolled_back" if isinstance(error, RolledBack) else "failed"
        report.fail(outcome, Trouble(_failed_phase(report), error.message, error.remedy, log_tail(error)))


def _note_the_end(report: HostReport, result: HostResult[None]) -> None:
    """Where the engine had the last word: unreachable, out of time, interrupted, or a mistake of ours."""
    if result.status == "ok":
        return
    if result.status == "pending":
        report.fail("skipped", Trouble("connect", "not begun", "Run the same command again."))
        return
    outcome = report.outcome if report.undone or report.outcome == "deployed" else "failed"
    message = f"{result.error or result.status}; {_state(report)}" if report.phases else result.error
    report.fail(outcome, Trouble(_failed_phase(report) or _last_phase(report), message, result.remedy))


def _state(report: HostReport) -> str:
    """How the host is, for a run that was cut off."""
    if report.undone:
        return report.undone
    if report.outcome == "deployed":
        return "the new service serves, verified and recorded"
    if any(phase.name == "switch" for phase in report.phases):
        return "the switch was begun; run the same command again, or look with `edgeops check`"
    return "the running service was not touched"


def _last_phase(report: HostReport) -> str:
    return report.phases[-1].name if report.phases else "connect"


def _failed_phase(report: HostReport) -> str:
    return next((phase.name for phase in report.phases if phase.status == "failed"), "")
