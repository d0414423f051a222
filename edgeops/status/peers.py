"""Hosts of the same kind against one another: the ones that differ from most of their like. Pure.

Two machines that were bought together and declared alike answer alike, as long as nobody changed one of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from edgeops.deployment.recording import machine_facts
from edgeops.status.drift import Drift, Remedies
from edgeops.status.seen import Seen

_NAMED = 3
_SHOWN = 12


@dataclass(frozen=True)
class Trait:
    """Something that hosts of one kind have in common. ``declared``: what must be equal for it to be comparable."""

    name: str
    of: Callable[[Seen], str | None]
    declared: Callable[[Seen], object]
    remedy: str


def _nothing(_: Seen) -> object:
    return None


def _checkpoint(number: int) -> Callable[[Seen], str | None]:
    def fingerprint(seen: Seen) -> str | None:
        recorded = seen.recorded_checkpoints
        there = seen.found.checkpoints.get(str(recorded[number].get("directory"))) if len(recorded) > number else None
        return there.fingerprint[:_SHOWN] if there else None

    return fingerprint


def _fact(key: str) -> Callable[[Seen], str | None]:
    def value(seen: Seen) -> str | None:
        found = machine_facts(seen.facts)[key]
        return None if found is None else str(found)

    return value


_SYSTEM = "bring them to the same system (sudo apt update && sudo apt full-upgrade), reboot, then {deploy}"
_FILES = "give it their files (the same revision, or the same directory copied), then {deploy}"

TRAITS = (
    Trait("driver", _fact("driver"), _nothing, _SYSTEM),
    Trait("kernel", _fact("kernel"), _nothing, _SYSTEM),
    Trait("power mode", _fact("power_mode"), _nothing, "set theirs with nvpmodel, then {deploy}"),
    Trait("TensorRT", lambda seen: seen.facts.tensorrt, lambda seen: seen.host.settings.tensorrt_version, _SYSTEM),
    Trait(
        "release",
        lambda seen: str(seen.state["release"]) if seen.state.get("release") else None,
        lambda seen: seen.host.settings.edgellm_version,
        "{deploy}",
    ),
    Trait(
        "model",
        _checkpoint(0),
        lambda seen: (seen.host.settings.model, seen.host.settings.model_revision),
        _FILES,
    ),
    Trait(
        "draft model",
        _checkpoint(1),
        lambda seen: (seen.host.settings.draft, seen.host.settings.draft_revision),
        _FILES,
    ),
)


def peer_drifts(hosts: Sequence[Seen]) -> Mapping[str, tuple[Drift, ...]]:
    """By host name, where it differs from most hosts of its kind; where there is no majority, all are named."""
    found: dict[str, list[Drift]] = {}
    for trait in TRAITS:
        for group in _groups([seen for seen in hosts if seen.deployed], trait):
            for name, drift in _odd(group, trait):
                found.setdefault(name, []).append(drift)
    return {name: tuple(drifts) for name, drifts in found.items()}


def kind(seen: Seen) -> tuple[str, str]:
    """Platform and hardware: the machine's own name for itself."""
    return seen.platform, seen.facts.device_model or seen.facts.product_name or ""


def _groups(hosts: Iterable[Seen], trait: Trait) -> Iterable[list[Seen]]:
    groups: dict[tuple[object, ...], list[Seen]] = {}
    for seen in hosts:
        if trait.of(seen) is not None:
            groups.setdefault((*kind(seen), trait.declared(seen)), []).append(seen)
    return groups.values()


def _odd(group: Sequence[Seen], trait: Trait) -> Iterable[tuple[str, Drift]]:
    counts = Counter(trait.of(seen) for seen in group)
    (most, number), *_ = counts.most_common()
    majority = 2 * number > len(group)
    for seen in group if len(counts) > 1 else ():
        value = trait.of(seen)
        if not majority or value != most:
            others = {one.host.name: trait.of(one) for one in group if one is not seen and trait.of(one) != value}
            remedy = trait.remedy.format(deploy=Remedies(seen.host.name).deploy)
            yield seen.host.name, Drift(f"{trait.name} among its like", _listed(others), str(value), remedy)


def _listed(others: Mapping[str, str | None]) -> str:
    """``580.142 on spark-01, spark-02; …``"""
    by_value: dict[str, list[str]] = {}
    for name, value in others.items():
        by_value.setdefault(str(value), []).append(name)
    told = (
        f"{value} on {', '.join(names[:_NAMED])}{f' and {len(names) - _NAMED} more' if len(names) > _NAMED else ''}"
        for value, names in by_value.items()
    )
    return "; ".join(told)
