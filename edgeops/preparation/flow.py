"""One host, twice: what would be done, which changes nothing; and after that was shown, doing it and looking again."""

from __future__ import annotations

from dataclasses import dataclass, field

from edgeops.deployment.phases import PhaseLog
from edgeops.engine import OperationFailed, Session
from edgeops.errors import EdgeopsError, RequirementError
from edgeops.preparation import causes
from edgeops.preparation.apt import Simulation, Step
from edgeops.preparation.mending import Mending, left, mending
from edgeops.preparation.report import HostReport
from edgeops.preparation.source import Missing, find_missing, refresh, simulate
from edgeops.requirements import Case, Verdict, judge_case
from edgeops.requirements.platforms import UNKNOWN
from edgeops.snapshot.script import take


@dataclass
class HostPlan:
    """What shall be done on one host. ``missing``: what its package lists do not have as they are."""

    report: HostReport
    mending: Mending = field(default_factory=Mending)
    missing: Missing | None = None
    lock: str = ""

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
        report.left = list(left(verdicts, Mending()))
        _refuse_hopeless(case, verdicts)
        host.mending = mending(case, verdicts)
        report.left = list(left(verdicts, host.mending))
        host.lock = (case.facts.apt.lock if case.facts.apt else None) or ""
        if host.mending != Mending():
            _refuse_without_root(verdicts)
            report.changes = _changes(session, host)
        report.outcome = "unchanged"
        notes.detail = f"{len(report.changes)} changes" if report.changes else "nothing to do"


def carry_out(session: Session, host: HostPlan, log: PhaseLog) -> None:
    """Do what was shown, and judge the host anew. Raises EdgeopsError; apt's lists may be newer then."""
    if host.missing is not None:
        with log.phase("refresh"):
            refresh(session)
    if host.mending.packages:
        with log.phase("inspect") as notes:
            _refuse_missing(find_missing(session, host.mending))
            notes.detail = f"apt would install {len(simulate(session, host.mending).installs)} packages"
    with log.phase("install") as notes:
        if host.lock and host.mending.packages:
            notes.say(f"waiting for process {host.lock}, which holds the package lock")
        _install(session, host.mending)
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


def _refuse_hopeless(case: Case, verdicts: tuple[Verdict, ...]) -> None:
    if case.platform.name == UNKNOWN:
        platform = next(verdict for verdict in verdicts if verdict.id == "host.platform")
        raise RequirementError(f"nothing is prepared on an unknown platform: {platform.found}", platform.remedy)


def _refuse_without_root(verdicts: tuple[Verdict, ...]) -> None:
    for verdict in verdicts:
        if verdict.id == "host.sudo" and verdict.status != "pass":
            raise RequirementError(f"host.sudo: {verdict.found}", verdict.remedy)


def _refuse_missing(missing: Missing | None) -> None:
    if missing is not None:
        raise RequirementError(f"{missing.sentence}. Nothing was installed", missing.remedy)


def _changes(session: Session, host: HostPlan) -> list[str]:
    """Sentences for people, in the order in which it will be done."""
    mended = host.mending
    said = [f"create the system group {name}" for name in mended.groups]
    if mended.packages:
        host.missing = find_missing(session, mended)
        said += _unknown_steps(mended, host.missing) if host.missing else _steps(simulate(session, mended))
    if mended.holds:
        said.append(f"hold at their version: {', '.join(mended.holds)}")
    return said


def _unknown_steps(mended: Mending, missing: Missing) -> list[str]:
    wanted = ", ".join(mended.packages)
    return [
        f"refresh the package lists: {missing.sentence}",
        f"install, if all of them are there then: {wanted}",
    ]


def _steps(planned: Simulation) -> list[str]:
    grouped: dict[tuple[str, str], list[Step]] = {}
    for step in planned.installs:
        grouped.setdefault((step.before, step.after), []).append(step)
    return [_step(before, after, steps) for (before, after), steps in grouped.items()]


def _step(before: str, after: str, steps: list[Step]) -> str:
    names = ", ".join(step.name for step in steps)
    return f"change from {before} to {after}: {names}" if before else f"install {after}: {names}"


def _install(session: Session, mended: Mending) -> None:
    try:
        session.deploy(
            "prepare",
            edgeops_groups=mended.groups,
            edgeops_packages=mended.packages,
            edgeops_holds=mended.holds,
        )
    except OperationFailed as failure:
        done = f"{failure.log}\n{failure.message}"
        raise EdgeopsError(
            failure.message, causes.remedy(done) or "see `edgeops check` for how the host is now"
        ) from None


def _look_again(session: Session, host: HostPlan) -> None:
    _, verdicts = _judged(session)
    host.report.left = list(left(verdicts, Mending()))
    host.report.outcome = "prepared"
    still = [v for v in host.report.left if v.status == "fail" and v.id in host.mending.ids]
    if still:
        raise EdgeopsError(f"done, but {still[0].id} still fails: {still[0].found}", still[0].remedy)
