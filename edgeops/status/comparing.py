"""All comparisons of one host, in the order in which a person would put things right. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from edgeops.status import files, installed, machine, service
from edgeops.status.drift import Drift, Remedies
from edgeops.status.seen import Seen

COMPARISONS: tuple[Callable[[Seen], Iterator[Drift]], ...] = (
    service.state,
    files.switch,
    files.unit,
    files.drop_ins,
    files.environment,
    files.key,
    installed.release,
    installed.packages,
    installed.checkpoints,
    service.flags,
    service.loaded_release,
    service.health,
    service.generation,
    machine.engine,
    machine.driver,
    machine.power,
    machine.requirements,
    machine.tuned,
)

DOWN = frozenset({"service", "health", "generation"})
"""Names of drift that mean: it does not serve."""


def drifts(seen: Seen) -> tuple[Drift, ...]:
    """Every difference between what is declared or recorded and what is there."""
    deploy = Remedies(seen.host.name).deploy
    if not seen.deployed:
        return (Drift("deployment", seen.host.settings.setting, "never deployed", deploy),)
    found = tuple(drift for compare in COMPARISONS for drift in compare(seen))
    return (*found, *_record(seen, found, deploy))


def _record(seen: Seen, found: tuple[Drift, ...], deploy: str) -> Iterator[Drift]:
    """Something else than what was verified, where none of the comparisons says what."""
    if not seen.state:
        yield Drift("record", "a record of what was verified", "none that can be read", deploy)
        return
    new = seen.declared and seen.declared.service
    if new and not found and seen.state.get("identity") != new.identity:
        yield Drift("record", new.identity[:12], str(seen.state.get("identity"))[:12], deploy)


def notes(seen: Seen) -> tuple[str, ...]:
    """What a reader should know and what is no drift."""
    return tuple(_notes(seen)) if seen.deployed else ()


def _notes(seen: Seen) -> Iterator[str]:
    if seen.undeclared:
        yield f"not compared with the inventory: {seen.undeclared}"
    if seen.running.trial is not None:
        yield f"{seen.running.trial or 'somebody'} tries other settings there right now; no answer was asked for"
    if seen.running.packages is None:
        yield "packages not compared: nothing was recorded when this release was installed"
    if seen.state and "machine" not in seen.state:
        yield f"driver, kernel and power mode not compared: not recorded yet; {Remedies(seen.host.name).deploy}"
    recorded = seen.state.get("drop_ins")
    for path in recorded if isinstance(recorded, dict) else ():
        yield f"drop-in {path}, as verified"
