"""One host's deploy, straight through: a list of phases that reads like the promise it keeps.

Nothing before *switch* touches the running service; everything after it is undone when it fails.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

from edgeops.deployment import plan, recording, serving, staging
from edgeops.deployment.context import Refused, RolledBack, StartFailed, Work
from edgeops.deployment.proving import prove
from edgeops.deployment.survey import survey
from edgeops.desired import Checkpoint, Declared, Machine, Service, release, service
from edgeops.engine.declared import KEY
from edgeops.engine.session import OperationFailed
from edgeops.errors import EdgeopsError
from edgeops.locations import DEPLOYS
from edgeops.requirements import Verdict, judge, platform_of
from edgeops.server import Proof
from edgeops.snapshot.facts import Facts, facts_of
from edgeops.snapshot.script import take


def deploy_host(work: Work) -> None:
    """Bring one host to what its settings declare, and fill in ``work.report``. Raises EdgeopsError where it cannot."""
    probe(work)
    declared = decide(work)
    if not work.changes:
        if (doubt := still_good(work, declared)) is None:
            if work.found.kept is not None:
                recording.forget_kept(work)
            work.report.outcome = "unchanged"
            return
        work.changes = (plan.Change("switch", f"restart trtedge: {doubt}"),)
    work.report.changes = [change.text for change in work.changes]
    if work.options.dry_run:
        work.report.outcome = "unchanged"
        return
    install(work, declared)
    declared = stage(work, declared)
    serve(work, declared)
    work.report.outcome = "deployed"


def probe(work: Work) -> None:
    """Ask the host everything, and refuse it where a requirement fails."""
    report = work.report
    with work.log.phase("probe"):
        snapshot = take(work.session)
        work.facts = facts_of(snapshot)
        report.simulated = snapshot.simulated
        report.platform = platform_of(work.facts)
        own = work.facts.own
        work.state = (own.state if own else None) or {}
        report.previous = report.release = _release_name(own.current if own else None)
    with work.log.phase("judge") as notes:
        verdicts = judge(snapshot, work.settings)
        failed = [verdict for verdict in verdicts if verdict.status == "fail"]
        notes.detail = _counted(verdicts)
        if failed:
            raise Refused(_refusal(failed), failed[0].remedy, tuple(failed))


def decide(work: Work) -> Declared:
    """What should be there, what is there, and what therefore changes."""
    with work.log.phase("plan") as notes:
        settings, facts = work.settings, work.facts
        assert facts is not None
        machine = machine_of(facts)
        pinned = release(settings, machine, constraints(settings.edgellm_version))
        checkpoints = tuple(staging.pinned(wish, work.state) for wish in staging.wishes(settings))
        declared = Declared(settings, machine, pinned, checkpoints)
        work.found = survey(work.session, pinned, checkpoints)
        if all(plan.is_staged(checkpoint, work.found) for checkpoint in checkpoints):
            declared = with_service(declared, work)
        has_venv = bool(facts.python and facts.python.ensurepip)
        work.changes = plan.changes(declared, work.found, _served(work), has_venv)
        notes.detail = f"{len(work.changes)} changes" if work.changes else "nothing to change"
        return declared


def still_good(work: Work, declared: Declared) -> str | None:
    """Verify a service that needs no change; a sentence where it does not serve as it should."""
    assert declared.service is not None
    with work.log.phase("verify") as notes:
        try:
            serving.verify(work.session, serving.wanted(work.settings, declared.service), notes)
        except StartFailed as failure:
            notes.detail = failure.message
            return failure.message
    return None


def install(work: Work, declared: Declared) -> None:
    """The release beside the running one, and proof that it can work on this machine."""
    with work.log.phase("install") as notes:
        if not any(change.phase == "install" for change in work.changes):
            notes.skip("installed already")
        else:
            if not (work.facts and work.facts.python and work.facts.python.ensurepip):
                notes.say("installing python3-venv")
                work.session.deploy("packages")
            work.session.deploy("account")
            notes.say(f"installing {declared.release.requirement} with pip; the first time takes minutes")
            work.session.deploy("release", **{KEY: declared})
            notes.detail = f"release {declared.release.name}"
    with work.log.phase("prove") as notes:
        prove(work.session, declared, notes)


def stage(work: Work, declared: Declared) -> Declared:
    """Model and draft on the host, known by revision and fingerprint, and fit for one another."""
    with work.log.phase("stage") as notes:
        checkpoints = tuple(
            checkpoint if checkpoint.directory else _located(work, declared, wish)
            for checkpoint, wish in zip(declared.checkpoints, staging.wishes(work.settings), strict=True)
        )
        declared = replace(declared, checkpoints=checkpoints)
        if not all(plan.is_staged(checkpoint, work.found) for checkpoint in checkpoints):
            notes.say(
                "downloading " + ", ".join(checkpoint.source for checkpoint in checkpoints if checkpoint.revision)
            )
            token = serving.read_secret(work.settings.hf_token_file) or ""
            work.session.deploy("model", **{KEY: declared}, edgeops_hf_token=token)
            looked = survey(work.session, declared.release, checkpoints)
            work.found = replace(work.found, checkpoints=looked.checkpoints)
        declared = with_service(declared, work)
        notes.detail = ", ".join(_called(checkpoint) for checkpoint in declared.checkpoints)
        return declared


def serve(work: Work, declared: Declared) -> None:
    """Switch, wait, verify, record; whatever fails on the way is undone, an interruption included."""
    new = declared.service
    assert new is not None
    try:
        proof = _bring_up(work, declared, new)
    except BaseException as why:
        _undo(work, why)
        raise
    with work.log.phase("record"):
        recording.record(work, declared, new, proof)
    work.report.release = declared.release.name


def _bring_up(work: Work, declared: Declared, new: Service) -> Proof:
    target = serving.wanted(work.settings, new)
    with work.log.phase("switch") as notes:
        serving.switch(work, declared)
        notes.detail = f"release {declared.release.name}, {target.expected.method}"
    with work.log.phase("ready") as notes:
        serving.come_up(work.session, target, notes)
    with work.log.phase("verify") as notes:
        return serving.verify(work.session, target, notes)


def _undo(work: Work, why: BaseException) -> None:
    """Raise what became of the host in place of ``why``, unless ``why`` is an interruption, which goes on."""
    reason = why.message if isinstance(why, EdgeopsError) else str(why) or type(why).__name__
    remedy, log = getattr(why, "remedy", ""), getattr(why, "log", ())
    log = tuple(log.splitlines()[-20:]) if isinstance(log, str) else log
    try:
        outcome = serving.undo(work, reason)
    except EdgeopsError as worse:
        message = f"{reason}. Putting the former service back failed too: {worse.message}"
        raise StartFailed(message, worse.remedy, log or getattr(worse, "log", ())) from why
    work.report.undone = outcome
    if not isinstance(why, Exception):
        return
    kind = RolledBack if work.found.served_before else StartFailed
    raise kind(f"{reason}. {outcome[0].upper()}{outcome[1:]}.", remedy, log) from why


def with_service(declared: Declared, work: Work) -> Declared:
    """``declared`` with its checkpoints as seen on the host, and the service that follows from them."""
    checkpoints = tuple(staging.seen(checkpoint, work.found) for checkpoint in declared.checkpoints)
    staging.refuse_mismatch(work.settings, checkpoints, work.found)
    draft = checkpoints[1] if len(checkpoints) > 1 else None
    new = service(work.settings, declared.machine, declared.release, checkpoints[0], draft)
    return replace(declared, checkpoints=checkpoints, service=new)


def machine_of(facts: Facts) -> Machine:
    """What decides the install. Raises EdgeopsError where the host did not say (a requirement was accepted, say)."""
    python = facts.python.minor if facts.python else None
    capability = facts.capability
    if python is None or facts.tensorrt is None or capability is None:
        missing = [
            name
            for name, value in (("Python", python), ("TensorRT", facts.tensorrt), ("GPU", capability))
            if value is None
        ]
        raise EdgeopsError(f"the host did not say its {', '.join(missing)}", "Run `edgeops check` for the causes.")
    return Machine(python, facts.tensorrt, capability.replace(".", ""))


def constraints(version: str) -> str:
    """The pins that this version was tried with; empty where none are known."""
    path = DEPLOYS / "constraints" / f"{version}.txt"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _located(work: Work, declared: Declared, wish: staging.Wish) -> Checkpoint:
    if work.settings.hf_offline:
        return staging.offline(wish, work.found)
    token = serving.read_secret(work.settings.hf_token_file) or ""
    return staging.resolved(work.session, wish, declared.release, token)


def _served(work: Work) -> plan.Served:
    own = work.facts.own if work.facts else None
    unit = (own.unit if own else None) or {}
    return plan.Served(work.state.get("identity"), unit.get("ActiveState") == "active")


def _release_name(current: str | None) -> str | None:
    return PurePosixPath(current).name if current else None


def _counted(verdicts: tuple[Verdict, ...]) -> str:
    counts = {
        status: sum(verdict.status == status for verdict in verdicts) for status in ("pass", "warn", "fail", "skip")
    }
    return ", ".join(f"{count} {status}" for status, count in counts.items() if count)


def _refusal(failed: list[Verdict]) -> str:
    return "; ".join(f"{verdict.id}: {verdict.why}" for verdict in failed)


def _called(checkpoint: Checkpoint) -> str:
    return f"{checkpoint.source}@{checkpoint.revision[:12]}" if checkpoint.revision else checkpoint.directory


__all__ = ["OperationFailed", "deploy_host"]
