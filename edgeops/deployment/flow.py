"""One host's deploy, straight through: a list of phases that reads like the promise it keeps.

Nothing before *switch* touches the running service; everything after it is undone when it fails.
"""

from __future__ import annotations

from dataclasses import replace

from edgeops.deployment import plan, recording, serving, staging
from edgeops.deployment.context import Work
from edgeops.deployment.planning import decide, doubt, has_venv, probe, with_service
from edgeops.deployment.proving import prove
from edgeops.deployment.survey import survey
from edgeops.deployment.undoing import undo
from edgeops.desired import Checkpoint, Declared, Service
from edgeops.engine.declared import KEY
from edgeops.server import Proof


def deploy_host(work: Work) -> None:
    """Bring one host to what its settings declare, and fill in ``work.report``. Raises EdgeopsError where it cannot."""
    probe(work)
    declared = decide(work)
    if not work.changes:
        if (reason := doubt(work, declared)) is None:
            leave_as_it_is(work)
            return
        work.changes = (plan.Change("switch", f"restart trtedge: {reason}"),)
    work.report.changes = [change.text for change in work.changes]
    if work.options.dry_run:
        work.report.outcome = "unchanged"
        return
    install(work, declared)
    serve(work, stage(work, declared))
    work.report.outcome = "deployed"


def leave_as_it_is(work: Work) -> None:
    """Nothing to do, and proven to serve."""
    if work.found.kept is not None:
        recording.forget_kept(work)
    work.report.outcome = "unchanged"


def install(work: Work, declared: Declared) -> None:
    """The release beside the running one, and proof that it can work on this machine."""
    with work.log.phase("install") as notes:
        if not any(change.phase == "install" for change in work.changes):
            notes.skip("installed already")
        else:
            if not has_venv(work.facts):
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
        wishes = zip(declared.checkpoints, staging.wishes(work.settings), strict=True)
        located = tuple(known if known.directory else _located(work, declared, wish) for known, wish in wishes)
        declared = replace(declared, checkpoints=located)
        if not all(plan.is_staged(checkpoint, work.found) for checkpoint in located):
            notes.say("downloading " + ", ".join(checkpoint.source for checkpoint in located if checkpoint.revision))
            _download(work, declared)
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
        undo(work, why)
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


def _located(work: Work, declared: Declared, wish: staging.Wish) -> Checkpoint:
    if work.settings.hf_offline:
        return staging.offline(wish, work.found)
    token = serving.read_secret(work.settings.hf_token_file) or ""
    return staging.resolved(work.session, wish, declared.release, token)


def _download(work: Work, declared: Declared) -> None:
    """Fetch what is not there. A local directory that is missing is not fetched, and told by what follows."""
    token = serving.read_secret(work.settings.hf_token_file) or ""
    missing = tuple(checkpoint for checkpoint in declared.checkpoints if not plan.is_staged(checkpoint, work.found))
    work.session.deploy("model", **{KEY: replace(declared, checkpoints=missing)}, edgeops_hf_token=token)
    looked = survey(work.session, declared.release, declared.checkpoints)
    work.found = replace(work.found, checkpoints=looked.checkpoints)


def _called(checkpoint: Checkpoint) -> str:
    return f"{checkpoint.source}@{checkpoint.revision[:12]}" if checkpoint.revision else checkpoint.directory
