"""One host's deploy, straight through: a list of phases that reads like the promise it keeps.

Nothing before *switch* touches the running service; everything after it is undone when it fails.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from gevent import GreenletExit

from edgeops import audit, layout
from edgeops.deployment import distributing, plan, recording, serving, staging
from edgeops.deployment.context import RolledBack, Work
from edgeops.deployment.declaring import with_service
from edgeops.deployment.gating import measure_and_gate
from edgeops.deployment.phases import PhaseNotes, sentence
from edgeops.deployment.planning import decide, doubt, has_venv, look, probe
from edgeops.deployment.proving import prove
from edgeops.deployment.survey import survey
from edgeops.deployment.undoing import undone_on_failure
from edgeops.desired import Checkpoint, Declared, Release, Service
from edgeops.engine import OperationFailed
from edgeops.engine.declared import KEY
from edgeops.errors import EdgeopsError
from edgeops.lock import locked, still_held
from edgeops.quoting import shell
from edgeops.secret_files import read_secret
from edgeops.server import Proof


def deploy_host(work: Work) -> None:
    """Bring one host to what its settings declare, and fill in ``work.report``. Raises EdgeopsError where it cannot.

    A host is locked before anything is changed there. One that is refused, or is as it should be, is not even touched
    by a lock; another's lock is respected all the same.
    """
    probe(work)
    declared = decide(work)
    if work.options.dry_run:
        tell_changes(work, declared)
        return
    if work.holder is None and not owes(work) and is_right(work, declared):
        work.report.outcome = "unchanged"
        return
    with ExitStack() as held:
        with work.log.phase("lock"):
            held.enter_context(locked(work.session, work.claim, work.steal))
            same = is_as_before(work, declared)
        try:
            converge(work, declared if same else decide(work))
        finally:
            note_in_audit(work, "deploy")


def tell_changes(work: Work, declared: Declared) -> None:
    """What a deploy would change."""
    is_right(work, declared)
    work.report.changes = [change.text for change in work.changes]
    work.report.outcome = "unchanged"


def is_right(work: Work, declared: Declared) -> bool:
    """Whether nothing is to be changed and the service proves that it serves; a service in doubt is to be restarted."""
    if not work.changes and (reason := doubt(work, declared)) is not None:
        work.changes = (plan.Change("switch", f"restart trtedge: {reason}"),)
    return not work.changes


def owes(work: Work) -> bool:
    """Whether something is to be written or measured on a host whose service stays as it is."""
    pending = work.found.kept is not None or recording.moved(work) is not None
    return pending or is_measured_anyway(work)


def is_measured_anyway(work: Work) -> bool:
    """Whether it is to be measured although nothing is changed."""
    return work.options.smoke == "always" or work.report.host in work.options.unmeasured


def is_as_before(work: Work, declared: Declared) -> bool:
    """Whether the host, now that it is locked, still is what was decided about."""
    before = work.found
    look(work, declared.release, declared.checkpoints)
    return work.found == before


def converge(work: Work, declared: Declared) -> None:
    """Do what has to be done, on a locked host."""
    if is_right(work, declared):
        leave_as_it_is(work)
        return
    work.report.changes = [change.text for change in work.changes]
    work.began = True
    install(work, declared)
    serve(work, stage(work, declared))
    work.report.outcome = "deployed"


def note_in_audit(work: Work, what: str) -> None:
    """What became of the host, where anything of it was changed or tried."""
    if not work.began:
        return
    report, error = work.report, sys.exc_info()[1]
    outcome = "rolled_back" if isinstance(error, RolledBack) else report.outcome if error is None else "failed"
    state = work.found.state
    served = decoding(state.get("method"), state.get("k")) if state else ""
    entry = audit.Entry(
        what=what,
        outcome=outcome,
        who=audit.who(work.claim),
        run=work.claim.run,
        before=str(state["release"]) if state.get("release") else report.previous,
        after=report.release,
        served=served,
        serves=work.serves if outcome == "deployed" else served,
        why=sentence(error) if error else "",
        changes=tuple(report.changes),
        accepted=work.settings.accept,
    )
    audit.note(work.session, entry)


def decoding(method: object, k: object) -> str:
    """How a service decodes, in words."""
    return f"{method}, k={k}" if k else "plain decoding"


def leave_as_it_is(work: Work) -> None:
    """Nothing to do, and proven to serve."""
    if work.found.kept is not None:
        recording.forget_kept(work)
    renew_record(work)
    work.report.outcome = "unchanged"
    if is_measured_anyway(work):
        measure_and_gate(work)


def renew_record(work: Work) -> None:
    """The service was verified just now on another driver, kernel or power mode than it was recorded with: say so."""
    if (moved := recording.moved(work)) is not None:
        with work.log.phase("record") as notes:
            recording.write(work, moved)
            notes.detail = "verified on another driver, kernel or power mode than before"


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
            if work.options.distribute:
                declared = distributing.with_sent_wheels(work, declared, notes)
            notes.say(f"installing {declared.release.requirement} with pip; the first time takes minutes")
            with removed_if_half(work, declared.release):
                work.session.deploy("release", **{KEY: declared})
            notes.detail = f"release {declared.release.name}"
    with work.log.phase("prove") as notes:
        prove(work.session, declared, notes)


@contextmanager
def removed_if_half(work: Work, release: Release) -> Iterator[None]:
    """An installation that fails, on a full disk say, leaves nothing of a release that was not there before."""
    try:
        yield
    except OperationFailed:
        if release.name not in work.found.releases:
            work.session.run(shell("rm", "-rf", release.directory), sudo=True)
        raise


def stage(work: Work, declared: Declared) -> Declared:
    """Model and draft on the host, known by revision and fingerprint, and fit for one another."""
    with work.log.phase("stage") as notes:
        wishes = zip(declared.checkpoints, staging.wishes(work.settings), strict=True)
        located = tuple(known if known.directory else _located(work, declared, wish) for known, wish in wishes)
        if located != declared.checkpoints:
            declared = replace(declared, checkpoints=located)
            _look_again(work, declared)
        if missing := tuple(checkpoint for checkpoint in located if not plan.is_staged(checkpoint, work.found)):
            if work.options.distribute:
                distributing.send_models(work, missing, notes)
            else:
                _download(work, replace(declared, checkpoints=missing), notes)
            _look_again(work, declared)
        declared = with_service(declared, work.found)
        refuse_unreadable(work, declared)
        notes.detail = ", ".join(_called(checkpoint) for checkpoint in declared.checkpoints)
        return declared


def serve(work: Work, declared: Declared) -> None:
    """Switch, wait, verify, measure, pass the gates; whatever fails is undone, an interruption of the switch included.

    A verified service that is only being measured is not undone by an interruption: it is recorded and stays.
    """
    new = declared.service
    assert new is not None
    with undone_on_failure(work):
        proof = bring_up(work, serving.wanted(work.settings, new), lambda: serving.switch(work, declared))
        try:
            measure_and_gate(work)
        except (GreenletExit, KeyboardInterrupt):
            record(work, declared, new, proof)
            raise
    record(work, declared, new, proof)


def bring_up(work: Work, target: serving.Serving, switch: Callable[[], None]) -> Proof:
    """Run ``switch``, wait for the server, prove it."""
    with work.log.phase("switch") as notes:
        still_held(work.session, work.claim)
        switch()
        notes.detail = "plain decoding" if target.expected.method == "none" else target.expected.method
    with work.log.phase("ready") as notes:
        serving.come_up(work.session, target, notes)
    with work.log.phase("verify") as notes:
        return serving.verify(work.session, target, notes)


def record(work: Work, declared: Declared, new: Service, proof: Proof) -> None:
    """Keep what serves now, on the host and in the report."""
    work.serves = decoding(new.method, work.settings.k if work.settings.speculative else None)
    with work.log.phase("record"):
        still_held(work.session, work.claim)
        recording.record(work, declared, new, proof)
    work.report.release, work.report.outcome = declared.release.name, "deployed"


def _located(work: Work, declared: Declared, wish: staging.Wish) -> Checkpoint:
    if work.settings.hf_offline:
        return staging.offline(wish, work.found)
    if work.options.distribute:
        return distributing.located(work, wish)
    token = read_secret(work.settings.hf_token_file)
    return staging.resolved(work.session, wish, declared.release, token)


def _download(work: Work, declared: Declared, notes: PhaseNotes) -> None:
    """Have the host fetch its checkpoints. A local directory is not fetched; that it is missing is told by what
    follows."""
    if absent := [checkpoint.source for checkpoint in declared.checkpoints if checkpoint.revision]:
        notes.say("downloading " + ", ".join(absent))
    token = read_secret(work.settings.hf_token_file)
    work.session.deploy("model", **{KEY: declared}, edgeops_hf_token=token)


def _look_again(work: Work, declared: Declared) -> None:
    looked = survey(work.session, declared.release, declared.checkpoints)
    work.found = replace(work.found, checkpoints=looked.checkpoints)


def refuse_unreadable(work: Work, declared: Declared) -> None:
    """Raise EdgeopsError where the service user may not read a checkpoint: the server would say so after the switch."""
    for checkpoint in declared.checkpoints:
        answer = work.session.run(shell("test", "-r", f"{checkpoint.directory}/config.json"), user=layout.USER)
        if answer.rc:
            remedy = f"Let everybody read it: sudo chmod -R a+rX {shell(checkpoint.directory)} (and enter its parents)."
            raise EdgeopsError(f"the user {layout.USER} may not read {checkpoint.directory}", remedy)


def _called(checkpoint: Checkpoint) -> str:
    return f"{checkpoint.source}@{checkpoint.revision[:12]}" if checkpoint.revision else checkpoint.directory
