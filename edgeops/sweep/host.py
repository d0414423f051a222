"""One host's sweep, straight through: look, lock, guard, measure each arm, put production back."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from edgeops import audit, smoke
from edgeops.bench.launches import Unserved
from edgeops.bench.workload import open_workloads
from edgeops.deployment.phases import Phase, PhaseLog, sentence
from edgeops.engine import Session
from edgeops.engine.session import HostLost
from edgeops.errors import ConfigurationError, EdgeopsError
from edgeops.lock import Claim, locked
from edgeops.runs import Run
from edgeops.smoke.keeping import Tell
from edgeops.sweep.kept import Kept
from edgeops.sweep.plan import Arm, Plan
from edgeops.trial import Candidate, Production, Trial, TrialLost, candidate, guarded, look_at_production


@dataclass
class HostSweep:
    """One host's sweep as far as it got. ``state`` says in words how the host was left; ``results`` are its entries."""

    name: str
    plan: Plan
    run: Run
    claim: Claim
    tell: Tell
    production: Production | None = None
    trial: Trial | None = None
    state: str = "production was not touched"
    results: list[dict[str, Any]] = field(default_factory=list)
    tried: dict[str, Candidate] = field(default_factory=dict)
    """The last candidate of each method that was served."""

    @property
    def log(self) -> PhaseLog:
        return PhaseLog(self.name, self._hear)

    @property
    def kept(self) -> Kept:
        return Kept(self.run, self.name)

    def _hear(self, _: str, phase: Phase) -> None:
        said = {"running": phase.detail, "failed": f"{phase.name}: {phase.detail}", "done": _done(phase)}
        if line := said.get(phase.status):
            self.tell(line)


def _done(phase: Phase) -> str:
    return phase.detail if phase.name == "restore" else ""


Then = Callable[[Session, HostSweep], None]
"""What follows a sweep on the connected host, production serving again."""


def nothing_more(_: Session, __: HostSweep) -> None:
    """A sweep that ends with its figures."""


def sweep_host(session: Session, sweep: HostSweep, then: Then = nothing_more) -> list[dict[str, Any]]:
    """The host's entries of ``edgeops.smoke/1``, one a method. Raises EdgeopsError where nothing could be tried, and
    where production could not be put back.
    """
    with locked(session, sweep.claim):
        sweep.production = look_at_production(session, sweep.log)
        try:
            with guarded(session, sweep.production, sweep.claim, sweep.log) as sweep.trial:
                for arm in sweep.plan.arms(session.host.settings):
                    _measure_arm(sweep, sweep.trial, arm)
        finally:
            _note_the_end(session, sweep)
        sweep.results = sweep.kept.results()
        then(session, sweep)
    return sweep.results


def _note_the_end(session: Session, sweep: HostSweep) -> None:
    """How the host was left, for the caller and in the host's audit log."""
    if sweep.trial is None:
        return
    why = sys.exc_info()[1]
    sweep.state = sweep.trial.restored or sweep.state
    if sweep.trial.touched:
        audit.note(session, _entry(sweep, sweep.trial, sentence(why) if why else ""))


def _entry(sweep: HostSweep, trial: Trial, why: str) -> audit.Entry:
    release = trial.production.declared.release.name
    return audit.Entry(
        what=sweep.claim.purpose,
        outcome="failed" if trial.changed else "restored",
        who=audit.who(sweep.claim),
        run=sweep.claim.run,
        before=release,
        after=release,
        why=why,
        changes=(f"served other settings for a measurement; {sweep.state}",),
    )


def _measure_arm(sweep: HostSweep, trial: Trial, arm: Arm) -> None:
    """Measure one launch. What keeps it from coming up is kept, and the sweep goes on."""
    wanted = _candidate(sweep, trial, arm)
    if wanted is None:
        return
    try:
        session = trial.serve(wanted)
        sweep.tried[arm.method] = wanted
        smoke.measure(session, sweep.plan.options_for(arm), sweep.kept.run_of(arm), sweep.tell)
    except (HostLost, TrialLost, ConfigurationError):
        raise
    except EdgeopsError as error:
        _leave_out(sweep, arm, error, possible=True)
    trial.check()


def _candidate(sweep: HostSweep, trial: Trial, arm: Arm) -> Candidate | None:
    try:
        return candidate(trial.session, trial.production, arm.method, arm.k)
    except HostLost:
        raise
    except EdgeopsError as error:
        _leave_out(sweep, arm, error, possible=False)
        return None


def _leave_out(sweep: HostSweep, arm: Arm, error: EdgeopsError, *, possible: bool) -> None:
    sweep.tell(f"{arm.name} is left out: {error.message}")
    names = tuple(workload.name for workload in open_workloads(sweep.plan.options.workload))
    sweep.kept.note_unserved(Unserved(arm.method, arm.k, error.message, names, possible))
