"""What is on the host of ours, in one answer, as a value; the program that looks is deploys/on_host/survey.py."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from edgeops import layout
from edgeops.desired import Checkpoint, Release
from edgeops.engine import Session
from edgeops.engine.script import Program, run_script
from edgeops.errors import EdgeopsError
from edgeops.locations import DEPLOYS


@dataclass(frozen=True)
class CheckpointFound:
    """A checkpoint directory as it is. ``marker`` is None unless a download of ours was completed there."""

    config: str
    fingerprint: str
    size: int
    marker: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Found:
    """The record, files as text (None: absent), the administrator's drop-ins by path, the link ``current``, and what
    is staged.

    ``unread``: unit or drop-ins are others than systemd has read.

    ``deployments``: the records of those that are kept for a rollback, by name.

    ``kept``: names of what an earlier switch kept aside and neither recorded nor undid (None: nothing pending),
    because the control machine went away in the middle. ``trial``: another command line than production's is served
    for a measurement, or was, by a run that is gone; the host itself puts production back.
    """

    state: Mapping[str, Any] = field(default_factory=dict)
    active: bool = False
    deployments: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    unit: str | None = None
    drop_ins: Mapping[str, str] = field(default_factory=dict)
    unread: bool = False
    environment: str | None = None
    key_sha256: str | None = None
    current: str | None = None
    user: bool = False
    release: Mapping[str, Any] | None = None
    releases: tuple[str, ...] = ()
    checkpoints: Mapping[str, CheckpointFound] = field(default_factory=dict)
    revisions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kept: tuple[str, ...] | None = None
    trial: bool = False

    @property
    def drop_in_digests(self) -> dict[str, str]:
        """The SHA-256 of each drop-in, by its path."""
        return {path: hashlib.sha256(text.encode()).hexdigest() for path, text in self.drop_ins.items()}

    @property
    def served_before(self) -> bool:
        """Whether there is a former service to go back to."""
        return self.unit is not None if self.kept is None else layout.UNIT in self.kept


def survey(session: Session, release: Release | None = None, checkpoints: Sequence[Checkpoint] = ()) -> Found:
    """Look at what is served now, and at ``release`` and ``checkpoints``. One command."""
    answers: dict[str, Any] = {}
    program = survey_program(release, checkpoints)
    answer = run_script(session, program.path, program.plan, answers.update, timeout=120, sudo=True)
    if answers.get("event") != "found":
        reason = (answer.err or answer.out).strip().splitlines()
        raise EdgeopsError(f"could not look at what is installed: {reason[-1] if reason else 'no answer'}")
    return found_in(answers)


def survey_program(release: Release | None = None, checkpoints: Sequence[Checkpoint] = ()) -> Program:
    """The program that looks, and what at; ``found_in`` reads its answer."""
    plan = {
        "state": layout.STATE_FILE,
        "service": layout.UNIT,
        "deployments": layout.DEPLOYMENTS,
        "unit": layout.UNIT_FILE,
        "environment": layout.ENVIRONMENT_FILE,
        "key": layout.KEY_FILE,
        "current": layout.CURRENT,
        "user": layout.USER,
        "release": f"{release.directory}/release.json" if release else None,
        "releases": layout.RELEASES,
        "undo": layout.UNDO,
        "trial": layout.TRIAL,
        "checkpoints": [checkpoint.directory for checkpoint in checkpoints if checkpoint.directory],
        "revisions": [layout.model_directory(checkpoint.source, "") for checkpoint in checkpoints],
    }
    return Program(DEPLOYS / "on_host" / "survey.py", plan)


def found_in(answers: Mapping[str, Any]) -> Found:
    """What the program found."""
    checkpoints = {directory: _checkpoint(what) for directory, what in answers["checkpoints"].items() if what}
    return Found(
        state=_object(answers["state"]) or {},
        active=bool(answers["active"]),
        deployments={name: _object(text) or {} for name, text in answers["deployments"].items()},
        unit=answers["unit"],
        drop_ins={path: text for path, text in answers["drop_ins"].items() if path != layout.TRIAL_DROP_IN},
        unread=bool(answers["unread"]),
        environment=answers["environment"],
        key_sha256=answers["key_sha256"],
        current=answers["current"],
        user=bool(answers["user"]),
        release=_object(answers["release"]),
        releases=tuple(answers["releases"]),
        checkpoints=checkpoints,
        revisions={directory: tuple(names) for directory, names in answers["revisions"].items()},
        trial=bool(answers["trial"]),
        kept=None if answers["undo"] is None else tuple(answers["undo"]),
    )


def _checkpoint(what: Mapping[str, Any]) -> CheckpointFound:
    return CheckpointFound(what["config"], what["fingerprint"], int(what["bytes"]), _object(what["marker"]))


def _object(text: str | None) -> Mapping[str, Any] | None:
    try:
        document = json.loads(text or "")
    except ValueError:
        return None
    return document if isinstance(document, dict) else None
