"""Model and draft: which revision, where it is, whether the two fit together. Pure but for the question to the hub."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from edgeops import layout
from edgeops.deployment.survey import CheckpointFound, Found
from edgeops.desired import Checkpoint, Release
from edgeops.engine import Session
from edgeops.engine.script import run_script
from edgeops.errors import EdgeopsError
from edgeops.locations import DEPLOYS
from edgeops.pairing import Pair, problems
from edgeops.settings import Settings


@dataclass(frozen=True)
class Wish:
    """A checkpoint as the settings ask for it: an id with a revision or none, or a directory on the host."""

    source: str
    revision: str | None


def wishes(settings: Settings) -> list[Wish]:
    """The model, and its draft where the method needs one."""
    found = [Wish(settings.model, settings.model_revision)]
    if settings.draft is not None:
        found.append(Wish(settings.draft, settings.draft_revision))
    return found


def pinned(wish: Wish, state: Mapping[str, Any]) -> Checkpoint:
    """The checkpoint as far as it is known without asking anyone. ``directory`` is empty while the revision is not.

    A revision that was resolved once is recorded, and the record is kept to: the hub's newest is never taken silently.
    """
    if wish.source.startswith("/"):
        return Checkpoint(wish.source, wish.source.rstrip("/") or "/")
    recorded = [
        entry for entry in _entries(state) if entry.get("source") == wish.source and entry.get("asked") == wish.revision
    ]
    revision = str(recorded[0]["revision"]) if recorded and recorded[0].get("revision") else None
    if revision is None and wish.revision and _is_commit(wish.revision):
        revision = wish.revision
    directory = layout.model_directory(wish.source, revision) if revision else ""
    return Checkpoint(wish.source, directory, revision)


def resolved(session: Session, wish: Wish, release: Release, token: str) -> Checkpoint:
    """Ask the hub, on the host and with the release's own library, which commit the revision is now."""
    answers: dict[str, Any] = {}
    plan = {"source": wish.source, "revision": wish.revision, "token": token}
    program, python = DEPLOYS / "on_host" / "revision.py", f"{release.venv}/bin/python"
    answer = run_script(session, program, plan, answers.update, timeout=120, python=python, user=layout.USER)
    revision = answers.get("revision")
    if not revision:
        reason = answers.get("error") or (answer.err or "no answer").strip().splitlines()[-1]
        raise EdgeopsError(f"could not ask Hugging Face about {wish.source}: {reason}", _HUB_REMEDY)
    return Checkpoint(wish.source, layout.model_directory(wish.source, revision), str(revision))


_HUB_REMEDY = (
    "Check the name, the host's way to the hub, and hf_token_file for gated models; "
    "or put the files on the host and set `model` to their directory."
)


def offline(wish: Wish, found: Found) -> Checkpoint:
    """With ``hf_offline``: the only revision that is staged. Raises EdgeopsError."""
    there = found.revisions.get(layout.model_directory(wish.source, ""), ())
    if len(there) != 1:
        what = f"revisions {', '.join(there)} are" if there else "nothing of it is"
        remedy = "Set model_revision or draft_revision, or put the files there, or set hf_offline: false."
        raise EdgeopsError(f"hf_offline is set, and {what} staged of {wish.source}", remedy)
    return Checkpoint(wish.source, layout.model_directory(wish.source, there[0]), there[0])


def seen(checkpoint: Checkpoint, found: Found) -> Checkpoint:
    """The checkpoint with its fingerprint and size. Raises EdgeopsError where it cannot be read."""
    there: CheckpointFound | None = found.checkpoints.get(checkpoint.directory)
    if there is None:
        remedy = f"Copy the checkpoint there, readable by the user {layout.USER}, or correct `model` and `draft_model`."
        raise EdgeopsError(f"there is no checkpoint (config.json) in {checkpoint.directory} on the host", remedy)
    return replace(checkpoint, fingerprint=there.fingerprint, size=there.size)


def refuse_mismatch(settings: Settings, checkpoints: tuple[Checkpoint, ...], found: Found) -> None:
    """Raise EdgeopsError where model, draft and k do not fit: the vendor's server would say so after its build."""
    configs = [found.checkpoints[checkpoint.directory].config for checkpoint in checkpoints]
    pair = Pair(settings.method, settings.k, configs[0], configs[1] if len(configs) > 1 else None)
    if wrong := problems(pair):
        raise EdgeopsError("; ".join(wrong), "Correct `k`, `model` or `draft_model` in the inventory.")


def _entries(state: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = state.get("checkpoints")
    return [entry for entry in found if isinstance(entry, Mapping)] if isinstance(found, list) else []


def _is_commit(revision: str) -> bool:
    return len(revision) == 40 and all(character in "0123456789abcdef" for character in revision)
