"""What a host's settings declare, first as far as it is known without a look, then with what was found there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from edgeops.deployment import staging
from edgeops.deployment.survey import Found
from edgeops.desired import Checkpoint, Declared, Machine, release, service
from edgeops.errors import EdgeopsError
from edgeops.locations import DEPLOYS
from edgeops.settings import Settings
from edgeops.snapshot.facts import Facts


def declare(settings: Settings, machine: Machine, state: Mapping[str, Any]) -> Declared:
    """Release and checkpoints; ``state`` is the record, which pins revisions that nobody wrote down."""
    pinned = release(settings, machine, constraints(settings.edgellm_version))
    checkpoints = tuple(staging.pinned(wish, state) for wish in staging.wishes(settings))
    return Declared(settings, machine, pinned, checkpoints)


def with_service(declared: Declared, found: Found) -> Declared:
    """``declared`` with its checkpoints as they lie on the host, and the service that follows. Raises EdgeopsError
    where one is missing, or where model, draft and k do not fit.
    """
    checkpoints = tuple(staging.seen(checkpoint, found) for checkpoint in declared.checkpoints)
    staging.refuse_mismatch(declared.settings, checkpoints, found)
    return serving_from(declared, checkpoints)


def serving_from(declared: Declared, checkpoints: tuple[Checkpoint, ...]) -> Declared:
    """``declared`` with the service that runs from ``checkpoints``: the model, and the draft where there is one."""
    draft = checkpoints[1] if len(checkpoints) > 1 else None
    made = service(declared.settings, declared.machine, declared.release, checkpoints[0], draft)
    return replace(declared, checkpoints=checkpoints, service=made)


def machine_of(facts: Facts) -> Machine:
    """What decides the install. Raises EdgeopsError where the host did not say and that failure was accepted."""
    python, capability = facts.python.minor if facts.python else None, facts.capability
    if python is None or facts.tensorrt is None or capability is None:
        said = {"Python": python, "TensorRT": facts.tensorrt, "GPU": capability}
        missing = ", ".join(name for name, value in said.items() if value is None)
        raise EdgeopsError(f"the host did not say its {missing}", "Run `edgeops check` for the causes.")
    return Machine(python, facts.tensorrt, capability.replace(".", ""))


def recorded_state(facts: Facts) -> Mapping[str, Any]:
    """The record of the last verified deployment, empty where there is none."""
    return (facts.own.state if facts.own else None) or {}


def constraints(version: str) -> str:
    """The pins that this version was tried with; empty where none are known."""
    path = DEPLOYS / "constraints" / f"{version}.txt"
    return path.read_text(encoding="utf-8") if path.is_file() else ""
