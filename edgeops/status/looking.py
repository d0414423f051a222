"""Ask one host: three commands on one connection. The only part of status that has to do with hosts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from edgeops import layout, lock, server
from edgeops.deployment import serving
from edgeops.deployment.declaring import recorded_state
from edgeops.deployment.serving import Serving
from edgeops.deployment.survey import found_in, survey_program
from edgeops.desired import Declared, expected_method
from edgeops.engine import Session
from edgeops.engine.script import Program, run_together
from edgeops.errors import EdgeopsError
from edgeops.locations import DEPLOYS
from edgeops.requirements import judge, platform_of
from edgeops.server import Endpoint, Expected
from edgeops.settings import Settings
from edgeops.snapshot.facts import Facts, facts_of
from edgeops.snapshot.script import take
from edgeops.status import declaring
from edgeops.status.seen import Seen, running_in

LOOK_TIMEOUT_S = 180.0
_ASK_SUDO = "Looking at units, processes and model files takes root: give --ask-sudo, or allow sudo without a password."


def look(session: Session, *, proof: bool) -> Seen:
    """What the host is, what is deployed there and, with ``proof``, one short generation. Raises EdgeopsError."""
    snapshot = take(session)
    facts, settings = facts_of(snapshot), session.host.settings
    seen = Seen(session.host, snapshot, facts, platform_of(facts), judge(snapshot, settings))
    if facts.sudo is False and session.access.password is None:
        if facts.own and not facts.own.state and not facts.own.unit:
            return seen
        raise EdgeopsError("sudo asks for a password", _ASK_SUDO)
    seen = _looked(session, seen)
    if proof and seen.health.ready and seen.undisturbed:
        target = _target(settings, seen.state)
        seen = replace(seen, proof=server.prove(session, target.endpoint, target.expected))
    return seen


def _looked(session: Session, seen: Seen) -> Seen:
    settings, state = seen.host.settings, recorded_state(seen.facts)
    declared, why = _declared(settings, seen.facts, state)
    answers = run_together(session, _programs(declared, settings, state), timeout=LOOK_TIMEOUT_S, sudo=True)
    found = found_in(answers["survey"])
    return replace(
        seen,
        found=found,
        running=running_in(answers["look"]),
        holder=lock.holder_in(answers["lock"]),
        health=server.health_in(answers["health"]),
        declared=declaring.with_service(declared, found, found.state) if declared else None,
        undeclared=why,
        key_sha256=serving.key_digest(settings),
    )


def _programs(declared: Declared | None, settings: Settings, state: Mapping[str, Any]) -> dict[str, Program]:
    checkpoints = (*(declared.checkpoints if declared else ()), *declaring.recorded_checkpoints(state))
    deployment = state.get("deployment")
    plan = {
        "unit": layout.UNIT,
        "releases": layout.RELEASES,
        "current": layout.CURRENT,
        "deployment": f"{layout.DEPLOYMENTS}/{deployment}" if deployment else None,
        "tuning": layout.TUNING_FILE,
        "trial": layout.TRIAL,
    }
    return {
        "survey": survey_program(declared.release if declared else None, checkpoints),
        "look": Program(DEPLOYS / "on_host" / "look.py", plan),
        "lock": lock.question(),
        "health": server.health_program(_target(settings, state).endpoint),
    }


def _declared(settings: Settings, facts: Facts, state: Mapping[str, Any]) -> tuple[Declared | None, str]:
    try:
        return declaring.declare(settings, facts, state), ""
    except EdgeopsError as error:
        return None, error.message


def _target(settings: Settings, state: Mapping[str, Any]) -> Serving:
    """The service that was verified last; without a record, the one that is declared."""
    endpoint = Endpoint(settings.bind, settings.port, settings.api_key_file is not None)
    expected = Expected(settings.name_served, expected_method(settings))
    return serving.recorded(state, settings.ready_timeout_s) or Serving(endpoint, expected, settings.ready_timeout_s)
