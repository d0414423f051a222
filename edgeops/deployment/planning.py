"""The phases that only ask and decide: probe, judge, plan. Nothing on the host is changed by them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

from edgeops import lock
from edgeops.deployment import distributing, plan, serving
from edgeops.deployment.context import Refused, StartFailed, Work
from edgeops.deployment.declaring import declare, machine_of, recorded_state, with_service
from edgeops.deployment.survey import found_in, survey_program
from edgeops.desired import Checkpoint, Declared, Release
from edgeops.engine.script import run_together
from edgeops.errors import LockedError
from edgeops.requirements import Verdict, judge, platform_of
from edgeops.snapshot import Snapshot
from edgeops.snapshot.facts import Facts, facts_of
from edgeops.snapshot.script import take

LOOK_TIMEOUT_S = 120.0


def ask(work: Work) -> Snapshot:
    """The host's own answers, and from them who it is and what serves there."""
    with work.log.phase("probe"):
        snapshot = take(work.session)
        work.facts = facts_of(snapshot)
        _introduce(work, work.facts, simulated=snapshot.simulated)
        return snapshot


def probe(work: Work) -> None:
    """Ask the host everything, and refuse it where a requirement fails."""
    snapshot = ask(work)
    with work.log.phase("judge") as notes:
        verdicts = judge(snapshot, work.settings)
        failed = tuple(verdict for verdict in verdicts if verdict.status == "fail")
        notes.detail = _counted(verdicts)
        if failed:
            causes = "; ".join(f"{verdict.id}: found {verdict.found}, wanted {verdict.wanted}" for verdict in failed)
            raise Refused(causes, failed[0].remedy, failed)


def _introduce(work: Work, facts: Facts, *, simulated: bool) -> None:
    report, own = work.report, facts.own
    report.simulated, report.platform = simulated, platform_of(facts)
    current = own.current if own else None
    report.previous = report.release = PurePosixPath(current).name if current else None


def decide(work: Work) -> Declared:
    """What should be there, what is there, and what therefore changes."""
    with work.log.phase("plan") as notes:
        settings, facts = work.settings, work.facts
        assert facts is not None
        declared = declare(settings, machine_of(facts), recorded_state(facts))
        declared = replace(declared, key_sha256=serving.key_digest(settings))
        checkpoints = declared.checkpoints
        look(work, declared.release, checkpoints)
        if all(plan.is_staged(checkpoint, work.found) for checkpoint in checkpoints):
            declared = with_service(declared, work.found)
        work.changes = plan.changes(declared, work.found, has_venv=has_venv(facts), sent=_sent(work, checkpoints))
        notes.detail = f"{len(work.changes)} changes" if work.changes else "nothing to change"
        return declared


def _sent(work: Work, checkpoints: tuple[Checkpoint, ...]) -> frozenset[str]:
    return frozenset(one.source for one in checkpoints if work.options.distribute and distributing.is_sent(one))


def look(work: Work, pinned: Release, checkpoints: tuple[Checkpoint, ...]) -> None:
    """What is there of ours, and who is at work on it. One command."""
    programs = {"survey": survey_program(pinned, checkpoints), "lock": lock.question()}
    answers = run_together(work.session, programs, timeout=LOOK_TIMEOUT_S, sudo=True)
    work.found, holder = found_in(answers["survey"]), lock.holder_in(answers["lock"])
    work.holder = holder if holder and holder.token != work.claim.token else None
    if work.found.trial and work.holder is None:
        sentence = "a measurement of other settings was cut off here; the host puts production back within 90 s"
        raise LockedError(sentence, "Run the same command again after that.")


def doubt(work: Work, declared: Declared) -> str | None:
    """Verify a service that needs no change; a sentence where it does not serve as it should."""
    assert declared.service is not None
    try:
        with work.log.phase("verify") as notes:
            serving.verify(work.session, serving.wanted(work.settings, declared.service), notes)
    except StartFailed as failure:
        return failure.message
    return None


def has_venv(facts: Facts | None) -> bool:
    """Whether a virtual environment can be made without installing anything."""
    return bool(facts and facts.python and facts.python.ensurepip)


def _counted(verdicts: tuple[Verdict, ...]) -> str:
    statuses = [verdict.status for verdict in verdicts]
    return ", ".join(
        f"{statuses.count(status)} {status}" for status in ("pass", "warn", "fail", "skip") if status in statuses
    )
