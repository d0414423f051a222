"""One host, twice: what would be done, which changes nothing; and after that was shown, doing it and looking again."""

from __future__ import annotations

from dataclasses import dataclass, field

from edgeops.deployment.phases import PhaseLog
from edgeops.engine import Session
from edgeops.errors import EdgeopsError, RequirementError
from edgeops.preparation import words
from edgeops.preparation.mending import Mending, left, mending, refuse_held
from edgeops.preparation.report import HostReport
from edgeops.preparation.source import Missing, ask_sources, install, refresh, simulate
from edgeops.preparation.waiting import unlocked
from edgeops.requirements import Case, Verdict, judge_case
from edgeops.requirements.platforms import UNKNOWN
from edgeops.snapshot.script import take


@dataclass
class HostPlan:
    """What shall be done on one host. ``missing``: what its package lists do not have as they are."""

    report: HostReport
    mending: Mending = field(default_factory=Mending)
    missing: Missing | None = None
    began: bool = False

    @property
    def changes(self) -> bool:
        """Whether there is anything to do, and nothing against it."""
        return bool(self.report.changes) and self.report.error is None


def plan(session: Session, host: HostPlan, log: PhaseLog) -> None:
    """Look at the host and fill ``host`` in. Changes nothing. Raises EdgeopsError where it cannot be prepared."""
    report = host.report
    with log.phase("probe"):
        case, verdicts = _judged(session)
        report.platform, report.simulated = case.platform.name, case.snapshot.simulated
    with log.phase("plan") as notes:
        host.mending = mending(case, verdicts)
        report.left = list(left(verdicts, host.mending))
        _refuse_unknown(case, verdicts)
        if host.mending != Mending():
            _refuse_without_root(verdicts)
            refuse_held(case, host.mending)
            report.changes = _changes(session, host)
        report.outcome = "unchanged"
        notes.detail = f"{len(report.changes)} changes" if report.changes else "nothing to do"


def carry_out(session: Session, host: HostPlan, log: PhaseLog) -> None:
    """Do what was shown, and judge the host anew. Raises EdgeopsError; RequirementError before anything is
    installed."""
    if host.mending.packages:
        _inspect(session, host, log)
    with log.phase("install") as notes:
        host.began = True
        unlocked(lambda: install(session, host.mending), notes)
    with log.phase("check") as notes:
        _look_again(session, host)
        notes.detail = f"{len(host.report.left)} left" if host.report.left else "all is as it should be"


def refuse_missing_for_good(host: HostPlan) -> None:
    """For a dry run, which refreshes nothing. Raises RequirementError."""
    if host.missing is not None:
        remedy = f"refresh them first, if they are old: sudo apt-get update; else {host.missing.remedy}"
        raise RequirementError(f"{host.missing.sentence} (by the package lists as they are)", remedy)


def _judged(session: Session) -> tuple[Case, tuple[Verdict, ...]]:
    case = Case(take(session), session.host.settings)
    return case, judge_case(case)


def _refuse_unknown(case: Case, verdicts: tuple[Verdict, ...]) -> None:
    if case.platform.name == UNKNOWN:
        platform = next(verdict for verdict in verdicts if verdict.id == "host.platform")
        raise RequirementError(f"nothing is prepared on an unknown platform: {platform.found}", platform.remedy)


def _refuse_without_root(verdicts: tuple[Verdict, ...]) -> None:
    for verdict in verdicts:
        if verdict.id == "host.sudo" and verdict.status != "pass":
            raise RequirementError(f"host.sudo: {verdict.found}", verdict.remedy)


def _inspect(session: Session, host: HostPlan, log: PhaseLog) -> None:
    """What apt would do now: what was shown, or for lists that had to be refreshed, what is told from here on."""
    trouble = None
    if host.missing is not None:
        with log.phase("refresh") as notes:
            trouble = unlocked(lambda: refresh(session), notes)
            notes.detail = trouble.message if trouble else ""
    with log.phase("inspect") as notes:
        host.mending, missing = ask_sources(session, host.mending)
        if missing is not None:
            _refuse_missing(missing, trouble)
        planned = words.package_changes(simulate(session, host.mending))
        notes.detail = "; ".join(planned)
        if host.missing is not None:
            host.report.changes = words.all_changes(host.mending, [words.REFRESH, *planned])
        elif host.report.changes != words.all_changes(host.mending, planned):
            raise RequirementError("apt would do something else now than was shown", "run the same command again")


def _refuse_missing(missing: Missing, trouble: EdgeopsError | None) -> None:
    because = f". And {trouble.message}" if trouble else ""
    remedy = (trouble.remedy if trouble else "") or missing.remedy
    raise RequirementError(f"{missing.sentence}{because}. Nothing was installed", remedy)


def _changes(session: Session, host: HostPlan) -> list[str]:
    """In the order in which it will be done. What apt would do is looked at here already, and refused if need be."""
    if not host.mending.packages:
        return words.all_changes(host.mending, [])
    host.mending, host.missing = ask_sources(session, host.mending)
    if host.missing:
        planned = words.conditional_changes(host.mending, host.missing)
    else:
        planned = words.package_changes(simulate(session, host.mending))
    return words.all_changes(host.mending, planned)


def _look_again(session: Session, host: HostPlan) -> None:
    _, verdicts = _judged(session)
    host.report.left = list(left(verdicts, Mending()))
    host.report.outcome = "prepared"
    still = [v for v in host.report.left if v.status == "fail" and v.id in host.mending.ids]
    if still:
        raise EdgeopsError(f"done, but {still[0].id} still fails: {still[0].found}", still[0].remedy)
