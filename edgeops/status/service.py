"""Drift of what runs: the service's state, its command line, the release it has loaded, and what it answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from edgeops import server
from edgeops.status.drift import Drift, Remedies, shortened, words_apart
from edgeops.status.seen import Seen, command_line


def state(seen: Seen) -> Iterator[Drift]:
    """Active, enabled, and as systemd has read it."""
    remedies, unit = Remedies(seen.host.name), seen.unit
    active = unit.get("ActiveState") or "not known to systemd"
    if active != "active":
        result = unit.get("Result", "success")
        why = "" if result == "success" else f", {result}"
        yield Drift("service", "active", f"{active} ({unit.get('SubState', 'dead')}{why})", remedies.deploy)
    if unit.get("UnitFileState") not in (None, "", "enabled"):
        enable = remedies.there("sudo systemctl enable trtedge")
        yield Drift("start at boot", "enabled", unit["UnitFileState"], enable)
    if unit.get("NeedDaemonReload") == "yes" and _as_wanted(seen):
        yield Drift("daemon-reload", "unit as it is on disk", "an earlier one is loaded", _start_again(seen))


def flags(seen: Seen) -> Iterator[Drift]:
    """The command line of the process against the one that the unit and its drop-ins say."""
    process, unit = seen.running.process, seen.found.unit
    words = command_line(unit, tuple(seen.found.drop_ins.values())) if unit else None
    if process is None or words is None or seen.running.trial is not None:
        return
    if process.command[-len(words) :] != words:
        declared, actual = words_apart(words, _from_script(process.command, words))
        yield Drift("flags", declared, actual, _start_again(seen))


def loaded_release(seen: Seen) -> Iterator[Drift]:
    """The release whose files the process has loaded, against the one that the link names."""
    process, current = seen.running.process, PurePosixPath(seen.found.current or "").name
    if process and process.release and current and process.release != current:
        yield Drift("running release", current, process.release, _start_again(seen))


def health(seen: Seen) -> Iterator[Drift]:
    """Ready, and what it says of itself; a proof asks the latter too, so it is asked here only without one."""
    if seen.unit.get("ActiveState") != "active":
        return
    if not seen.health.ready:
        remedy = f"{Remedies(seen.host.name).deploy}   # after {_journal(seen)}, as it may still be loading"
        yield Drift("health", "ready", shortened(seen.health.reason), remedy)
    elif seen.proof is None and seen.undisturbed:
        yield from _identity(seen)


def generation(seen: Seen) -> Iterator[Drift]:
    """One real generation."""
    proof = seen.proof
    if proof is None or (proof.ok and proof.knows_the_answer):
        return
    said = "; ".join(proof.problems) or f"asked {server.QUESTION!r} it said {proof.text[:80]!r}"
    yield Drift("generation", "a right and finished answer", shortened(said), Remedies(seen.host.name).deploy)


def _identity(seen: Seen) -> Iterator[Drift]:
    recorded = seen.state.get("serving")
    wanted = recorded if isinstance(recorded, Mapping) else {}
    for what, declared, actual in (
        ("method", wanted.get("method"), seen.health.method),
        ("served model", wanted.get("name"), seen.health.model),
    ):
        if declared and declared != actual:
            yield Drift(what, str(declared), str(actual), Remedies(seen.host.name).deploy)


def _start_again(seen: Seen) -> str:
    """A restart mends it, unless the unit itself is not what it should be."""
    remedies = Remedies(seen.host.name)
    return remedies.restart() if _as_wanted(seen) else remedies.deploy


def _as_wanted(seen: Seen) -> bool:
    """Whether the unit on disk is the one that should be there."""
    service = seen.declared and seen.declared.service
    return seen.found.unit == (service.unit if service else seen.running.verified_unit)


def _from_script(command: tuple[str, ...], words: tuple[str, ...]) -> tuple[str, ...]:
    """The command line without the interpreter that the script's first line adds."""
    return command[command.index(words[0]) :] if words[0] in command else command


def _journal(seen: Seen) -> str:
    return f"a look at `journalctl -u trtedge -n 30` on {seen.host.name}"
