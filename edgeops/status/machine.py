"""Drift of the machine below the service: TensorRT, GPU, driver, kernel, power mode, requirements, a stale tuning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from edgeops import tuning
from edgeops.deployment.recording import machine_facts
from edgeops.desired import Checkpoint, Declared
from edgeops.status.drift import Drift, Remedies, shortened
from edgeops.status.seen import Seen


def engine(seen: Seen) -> Iterator[Drift]:
    """What the engine was built for: TensorRT and the GPU's architecture."""
    capability = (seen.facts.capability or "").replace(".", "")
    for what, declared, actual in (
        ("TensorRT", seen.state.get("tensorrt"), seen.facts.tensorrt),
        ("GPU architecture", seen.state.get("sm"), capability),
    ):
        if declared and actual and declared != actual:
            yield Drift(what, str(declared), actual, f"{_deploy(seen)}   # builds the engine for it")


def driver(seen: Seen) -> Iterator[Drift]:
    """Driver and kernel against those that the service was verified on."""
    recorded, now = _recorded(seen), machine_facts(seen.facts)
    for what in ("driver", "kernel"):
        if recorded.get(what) and now[what] and recorded[what] != now[what]:
            yield Drift(what, str(recorded[what]), str(now[what]), f"{_deploy(seen)}   # verifies on it")


def power(seen: Seen) -> Iterator[Drift]:
    """The power mode of a Jetson, by name: ids differ from board to board."""
    recorded, now = _recorded(seen), machine_facts(seen.facts)
    declared, actual = recorded.get("power_mode"), now["power_mode"]
    if declared and actual and declared != actual:
        mode = recorded.get("power_mode_id")
        back = Remedies(seen.host.name).there(f"sudo nvpmodel -m {mode if isinstance(mode, int) else 'ID'}")
        yield Drift("power mode", str(declared), str(actual), back)


def requirements(seen: Seen) -> Iterator[Drift]:
    """Requirements that fail now."""
    for verdict in seen.verdicts:
        if verdict.status == "fail":
            remedy = verdict.remedy.replace("TARGET", seen.host.name) or f"edgeops check {seen.host.name}"
            yield Drift(f"requirement {verdict.id}", shortened(verdict.wanted), shortened(verdict.found), remedy)


def tuned(seen: Seen) -> Iterator[Drift]:
    """A choice of `edgeops tune` that was measured on something else."""
    if seen.running.tuning is None or seen.declared is None:
        return
    now = tuning.fingerprint(seen.facts, _as_it_is(seen, seen.declared))
    for one in tuning.mismatches(seen.running.tuning, now):
        yield Drift(one.what, shortened(one.declared), shortened(one.actual), one.remedy)


def _as_it_is(seen: Seen, declared: Declared) -> Declared:
    """``declared`` with TensorRT and files as they are now, and not as they were recorded."""
    machine = replace(declared.machine, tensorrt=seen.facts.tensorrt or declared.machine.tensorrt)
    return replace(declared, machine=machine, checkpoints=tuple(_now(seen, one) for one in declared.checkpoints))


def _now(seen: Seen, checkpoint: Checkpoint) -> Checkpoint:
    there = seen.found.checkpoints.get(checkpoint.directory)
    return replace(checkpoint, fingerprint=there.fingerprint) if there else checkpoint


def _recorded(seen: Seen) -> Mapping[str, Any]:
    found = seen.state.get("machine")
    return found if isinstance(found, Mapping) else {}


def _deploy(seen: Seen) -> str:
    return Remedies(seen.host.name).deploy
