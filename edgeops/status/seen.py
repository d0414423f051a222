"""All that status knows of one host: what it said, what serves there, what is recorded and what is declared."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from edgeops.deployment.survey import Found
from edgeops.desired import Declared
from edgeops.inventory import Host
from edgeops.lock import Holder
from edgeops.requirements import Verdict
from edgeops.server import Health, Proof
from edgeops.snapshot import Snapshot
from edgeops.snapshot.facts import Facts


@dataclass(frozen=True)
class Process:
    """The service's process: the words of its command line, and the release whose files it has loaded."""

    pid: int
    command: tuple[str, ...]
    release: str | None = None


@dataclass(frozen=True)
class Running:
    """What runs. ``packages``: (installed with the release, now) by name, None where the first was not recorded.

    ``verified_unit`` is the unit as it was when the deployment was verified; ``tuning`` the content of tuning.json;
    ``trial`` says who tries other settings there right now, None where nobody does.
    """

    process: Process | None = None
    packages: Mapping[str, tuple[str, str | None]] | None = None
    verified_unit: str | None = None
    tuning: object = None
    trial: str | None = None
    moments: Mapping[str, str] = field(default_factory=dict)
    """``ActiveEnterTimestamp`` and ``InactiveEnterTimestamp``, in UTC."""


@dataclass(frozen=True)
class Seen:
    """One host that answered. ``declared.service`` is None where the declared model is not there."""

    host: Host
    snapshot: Snapshot
    facts: Facts
    platform: str
    verdicts: tuple[Verdict, ...] = ()
    found: Found = field(default_factory=Found)
    running: Running = field(default_factory=Running)
    holder: Holder | None = None
    health: Health = field(default_factory=lambda: Health(False, reason="not asked"))
    proof: Proof | None = None
    declared: Declared | None = None
    undeclared: str = ""
    """Why it is not known what is declared; empty where it is."""
    key_sha256: str | None = None
    """Of the API key that the inventory names; None where it names none."""

    @property
    def state(self) -> Mapping[str, Any]:
        return self.found.state

    @property
    def unit(self) -> Mapping[str, str]:
        """Properties of the service, as systemd tells them; empty where there is none."""
        own = self.facts.own
        return (own.unit if own else None) or {}

    @property
    def undisturbed(self) -> bool:
        """Whether nobody is at work on it: a generation of ours would stand in the way of what they measure."""
        return self.holder is None and self.running.trial is None

    @property
    def deployed(self) -> bool:
        """Whether anything of ours was ever deployed there."""
        return bool(self.state) or self.found.unit is not None

    @property
    def recorded_checkpoints(self) -> list[Mapping[str, Any]]:
        """Model and draft as recorded; what is malformed is passed over."""
        return entries(self.state.get("checkpoints"))


def running_in(answer: Mapping[str, Any]) -> Running:
    """From the answer of deploys/on_host/look.py."""
    return Running(
        _process(answer.get("process")),
        _packages(answer.get("packages")),
        _text(answer.get("verified_unit")),
        _document(answer.get("tuning")),
        _text(answer.get("trial")),
        _texts(answer.get("moments")),
    )


def command_line(unit: str, drop_ins: Sequence[str] = ()) -> tuple[str, ...] | None:
    """The words that systemd starts, ``%%`` and ``$$`` resolved: the last ``ExecStart=``; None where it is unreadable.

    ``drop_ins`` are texts in the order in which systemd reads them. Source: systemd.service(5), "Command lines".
    """
    lines = [line.strip() for text in (unit, *drop_ins) for line in text.replace("\\\n", " ").splitlines()]
    values = [line.partition("=")[2].strip() for line in lines if line.startswith("ExecStart=")]
    try:
        words = shlex.split(next(value for value in reversed(values) if value))
    except (StopIteration, ValueError):
        return None
    return tuple(word.replace("%%", "%").replace("$$", "$") for word in words)


def entries(value: object) -> list[Mapping[str, Any]]:
    """The objects in a list of a record that anybody may have written."""
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def _process(found: object) -> Process | None:
    if not isinstance(found, Mapping) or not isinstance(found.get("command"), list):
        return None
    release = found.get("release")
    return Process(int(found.get("pid") or 0), tuple(map(str, found["command"])), str(release) if release else None)


def _packages(found: object) -> dict[str, tuple[str, str | None]] | None:
    if not isinstance(found, Mapping):
        return None
    recorded, now = found.get("recorded"), found.get("now")
    if not isinstance(recorded, Mapping) or not isinstance(now, Mapping):
        return None
    return {str(name): (str(version), _text(now.get(name))) for name, version in recorded.items() if version}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _texts(value: object) -> dict[str, str]:
    return {str(key): str(text) for key, text in value.items()} if isinstance(value, Mapping) else {}


def _document(text: object) -> object:
    """The JSON in ``text``; None where there is no text, and the text itself where it is no JSON."""
    if not isinstance(text, str):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text
