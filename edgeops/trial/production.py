"""What a host serves now, known well enough to come back to it: as declared, healthy, nobody else's experiment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from edgeops.deployment import plan, serving
from edgeops.deployment.context import StartFailed
from edgeops.deployment.declaring import declare, machine_of, recorded_state, with_service
from edgeops.deployment.phases import PhaseLog
from edgeops.deployment.serving import Serving
from edgeops.deployment.survey import Found, survey
from edgeops.desired import Checkpoint, Declared, cache_directory
from edgeops.engine import Session
from edgeops.errors import EdgeopsError, LockedError
from edgeops.releases import edgellm_release
from edgeops.snapshot.facts import Facts, facts_of
from edgeops.snapshot.script import take
from edgeops.trial.on_host import ask


@dataclass(frozen=True)
class Production:
    """What serves, and ``command``: the words of its process, which a restored service must have again."""

    facts: Facts
    declared: Declared
    serving: Serving
    command: tuple[str, ...]
    bundles: frozenset[str]

    @property
    def setting(self) -> str:
        """In words: ``dspark with k=3``, or ``plain decoding``."""
        return self.declared.settings.setting

    @property
    def cache(self) -> str:
        """Where engines are kept."""
        return cache_directory(edgellm_release(self.declared.settings.edgellm_version), self.declared.machine)


def look_at_production(session: Session, log: PhaseLog) -> Production:
    """Changes nothing. Raises EdgeopsError where there is nothing sound to come back to, LockedError while someone
    tries something else there."""
    with log.phase("look") as notes:
        facts = facts_of(take(session))
        declared = _declared(session, facts)
        target = _target(declared)
        here = ask(session, "look", cache=_cache(declared))
        if here["stale"]:
            notes.say("an earlier run was cut off: putting production back first")
            ask(session, "restore", timeout=900)
            serving.come_up(session, target, notes)
            ask(session, "end")
            here = ask(session, "look", cache=_cache(declared))
        _refuse_unsuitable(session.host.name, here)
    with log.phase("verify") as notes:
        try:
            serving.verify(session, target, notes)
        except StartFailed as failure:
            raise EdgeopsError(f"the service is not healthy, so nothing is tried: {failure.message}", _DEPLOY) from None
    return Production(facts, declared, target, tuple(here["command"]), frozenset(here["bundles"]))


def _declared(session: Session, facts: Facts) -> Declared:
    declared = declare(session.host.settings, machine_of(facts), recorded_state(facts))
    found = survey(session, declared.release, declared.checkpoints)
    if not all(_is_here(checkpoint, found) for checkpoint in declared.checkpoints):
        raise EdgeopsError("its model is not the one that the inventory names", _DEPLOY)
    declared = with_service(declared, found)
    _refuse_drift(declared, found)
    return declared


def _is_here(checkpoint: Checkpoint, found: Found) -> bool:
    return bool(checkpoint.directory) and plan.is_staged(checkpoint, found)


def _refuse_drift(declared: Declared, found: Found) -> None:
    made = declared.service
    assert made is not None
    if found.unit is None:
        raise EdgeopsError("nothing is deployed there", _DEPLOY)
    same = (found.unit, found.environment, found.current)
    if same != (made.unit, made.environment, declared.release.directory):
        raise EdgeopsError("what is deployed there is not what the inventory says", _DEPLOY)


def _refuse_unsuitable(name: str, here: dict[str, Any]) -> None:
    if here["busy"]:
        who = here["who"] or "somebody"
        raise LockedError(
            f"{name}: {who} tries other settings there",
            "Wait: a run that was cut off is put back by the host itself within 90 s.",
        )
    if here["active"] != "active" or not here["command"]:
        raise EdgeopsError(f"the service is {here['active'] or 'not there'}, so nothing is tried", _DEPLOY)
    if here["overriding"]:
        raise EdgeopsError(
            f"{', '.join(here['overriding'])} says what is started, so no other k can be tried",
            "Take ExecStart= out of the drop-in; flags belong into `extra_serve_args`.",
        )


def _target(declared: Declared) -> Serving:
    assert declared.service is not None
    return serving.wanted(declared.settings, declared.service)


def _cache(declared: Declared) -> str:
    return cache_directory(edgellm_release(declared.settings.edgellm_version), declared.machine)


_DEPLOY = "Run `edgeops deploy` for this host first."
