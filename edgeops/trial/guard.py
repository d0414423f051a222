"""The guard: while it is held something else may be served; when it is let go, production serves again, verified."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import gevent

from edgeops import layout
from edgeops.deployment import serving
from edgeops.deployment.context import StartFailed
from edgeops.deployment.phases import PhaseLog, PhaseNotes
from edgeops.engine import Session
from edgeops.engine.session import HostLost
from edgeops.errors import EdgeopsError, LockedError
from edgeops.lock import Claim
from edgeops.quoting import shell
from edgeops.trial.attempt import SWITCH_S, Trial
from edgeops.trial.on_host import ask
from edgeops.trial.production import Production

FIRES_AFTER_S = 80
"""The host puts production back by itself so many seconds after the last beat."""
BEAT_S = 20.0
RESTORING_S = 3600.0
"""The host's own deadline is spent when something has to be put back."""
TRIAL_GRACE_S = 600.0
"""How long an interrupted run may take to bring production back and verify it."""
HOST_DOES_IT = "the host puts its production setting back by itself within 90 s"


@contextmanager
def guarded(session: Session, production: Production, claim: Claim, log: PhaseLog) -> Iterator[Trial]:
    """Hold the guard for the body. However that ends, production serves again and is verified, or an error says how it
    is; a lost connection leaves it to the host's timer (see ``put_back_after``). ``Trial.restored`` says it in words.
    """
    trial = Trial(session, production, log, bundles=set(production.bundles))
    _begin(session, claim)
    heart = gevent.spawn(_beat, trial)
    try:
        yield trial
    finally:
        try:
            with gevent.Timeout(RESTORING_S):
                _let_go(trial, sys.exc_info()[1])
        finally:
            heart.kill()


def put_back_after(session: Session, production: Production, log: PhaseLog) -> str:
    """On a new connection, after one was lost: put production back where the timer has not yet, and verify it.

    Returns how the host is, in words. Raises EdgeopsError.
    """
    trial = Trial(session, production, log, changed=True)
    _let_go(trial, None)
    return trial.restored


def _begin(session: Session, claim: Claim) -> None:
    who = f"{claim.owner}@{claim.host} (pid {claim.pid}, {claim.purpose}, run {claim.run})"
    answer = ask(session, "begin", seconds=FIRES_AFTER_S, who=who)
    if answer["event"] == "busy":
        busy = f"{session.host.name}: {answer['who'] or 'somebody'} tries other settings there"
        raise LockedError(busy, "Wait, and run it again.")
    if answer["event"] != "begun":
        raise EdgeopsError(f"{answer.get('error', 'the guard could not be set up')}; nothing was changed")


def _beat(trial: Trial) -> None:
    """Wind the timer up again and again. A connection that is gone is noticed by the work itself."""
    command = shell("systemctl", "restart", layout.TRIAL_TIMER)
    while True:
        gevent.sleep(BEAT_S)
        with suppress(EdgeopsError):
            answer = trial.session.run(command, sudo=True, timeout=15)
            if answer.rc not in (0, 124):
                trial.lost = f"its timer has fired ({answer.err.strip()[-120:]})"
                return


def _let_go(trial: Trial, why: BaseException | None) -> None:
    """Production again, verified, and only then the timer away."""
    try:
        if trial.changed:
            with trial.log.phase("restore") as notes:
                _restore(trial, notes)
        else:
            trial.restored = "production was not touched"
        ask(trial.session, "end")
    except HostLost as lost:
        trial.restored = HOST_DOES_IT if trial.changed else "production was not touched"
        raise HostLost(f"{lost.message}; {trial.restored}", lost.remedy) from why
    except EdgeopsError as worse:
        trial.restored = f"putting production back failed: {worse.message}"
        raise StartFailed(trial.restored, worse.remedy) from why


def _restore(trial: Trial, notes: PhaseNotes) -> None:
    here = ask(trial.session, "look", cache=trial.production.cache)
    if here["busy"] or here["stale"]:
        answer = ask(trial.session, "restore", timeout=SWITCH_S)
        if answer["event"] != "restored":
            raise EdgeopsError(f"the service did not start: {answer.get('error', '')}", "Read its journal.")
    serving.come_up(trial.session, trial.production.serving, notes)
    serving.verify(trial.session, trial.production.serving, notes)
    now = tuple(ask(trial.session, "look", cache=trial.production.cache)["command"])
    if now != trial.production.command:
        raise EdgeopsError("the service runs with another command line than before", "Run `edgeops deploy` there.")
    trial.changed = False
    trial.restored = f"production serves again, verified: {trial.production.setting}"
    notes.detail = trial.restored
