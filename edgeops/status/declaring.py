"""What the inventory declares for a host, as its unit and release would be if TensorRT and files were as recorded.

So each difference is told once: another TensorRT is told as that, and not as another unit, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from edgeops.deployment import declaring
from edgeops.deployment.survey import Found
from edgeops.desired import Checkpoint, Declared, Machine
from edgeops.settings import Settings
from edgeops.snapshot.facts import Facts
from edgeops.status.seen import entries


def declare(settings: Settings, facts: Facts, state: Mapping[str, Any]) -> Declared:
    """Release and checkpoints, as far as they are known without a look. Raises EdgeopsError where the host said too
    little."""
    return declaring.declare(settings, _machine(facts, state), state)


def with_service(declared: Declared, found: Found, state: Mapping[str, Any]) -> Declared:
    """``declared`` with the service that follows, where the checkpoints are recorded or there; else as it is."""
    known = [_known(checkpoint, found, state) for checkpoint in declared.checkpoints]
    located = tuple(checkpoint for checkpoint in known if checkpoint is not None)
    if len(located) != len(known):
        return declared
    return declaring.serving_from(declared, located)


def recorded_checkpoints(state: Mapping[str, Any]) -> tuple[Checkpoint, ...]:
    """Those of the record, to be looked at too: the inventory may name others by now."""
    found = entries(state.get("checkpoints"))
    return tuple(Checkpoint(str(one.get("source")), str(one["directory"])) for one in found if one.get("directory"))


def _machine(facts: Facts, state: Mapping[str, Any]) -> Machine:
    tensorrt, sm = state.get("tensorrt"), state.get("sm")
    python = facts.python.minor if facts.python else None
    if python and isinstance(tensorrt, str) and isinstance(sm, str):
        return Machine(python, tensorrt, sm)
    return declaring.machine_of(facts)


def _known(checkpoint: Checkpoint, found: Found, state: Mapping[str, Any]) -> Checkpoint | None:
    for recorded in entries(state.get("checkpoints")):
        size, fingerprint = recorded.get("bytes"), recorded.get("fingerprint")
        if recorded.get("directory") == checkpoint.directory and isinstance(size, int) and fingerprint:
            return replace(checkpoint, fingerprint=str(fingerprint), size=size)
    there = found.checkpoints.get(checkpoint.directory)
    return replace(checkpoint, fingerprint=there.fingerprint, size=there.size) if there else None
