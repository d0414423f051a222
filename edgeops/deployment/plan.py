"""What has to be done on a host: pure comparison of what is declared with what was found. An empty plan is
"unchanged"."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from edgeops.deployment.survey import Found
from edgeops.desired import Checkpoint, Declared, Service


@dataclass(frozen=True)
class Change:
    """One thing that will be changed, in the phase that changes it, as a sentence for people."""

    phase: str
    text: str


def changes(declared: Declared, found: Found, *, has_venv: bool, sent: Collection[str] = ()) -> tuple[Change, ...]:
    """All changes, in the order in which they will be made. ``sent``: checkpoints by source that this machine would
    send."""
    return (
        *_install_changes(declared, found, has_venv=has_venv),
        *_stage_changes(declared.checkpoints, found, sent),
        *_switch_changes(declared, found),
    )


def is_staged(checkpoint: Checkpoint, found: Found) -> bool:
    """Whether the checkpoint's files are all there. A local directory needs no mark of ours, a download does."""
    there = found.checkpoints.get(checkpoint.directory)
    if there is None:
        return False
    return checkpoint.revision is None or there.marker == checkpoint.marker


def _install_changes(declared: Declared, found: Found, *, has_venv: bool) -> list[Change]:
    wanted = declared.release
    needed = [] if has_venv else [Change("install", "install the package python3-venv")]
    if not found.user:
        needed.append(Change("install", "create the system user trtedge and its directories"))
    if found.release != wanted.marker:
        needed.append(Change("install", f"install {wanted.requirement} as release {wanted.name}"))
    return needed


def _stage_changes(checkpoints: Sequence[Checkpoint], found: Found, sent: Collection[str]) -> list[Change]:
    missing = [checkpoint for checkpoint in checkpoints if not is_staged(checkpoint, found)]
    fetched = [f"download {one.source}{_at(one)}" for one in missing if not _local(one) and one.source not in sent]
    brought = [f"send {_called(one)} from this machine" for one in missing if one.source in sent]
    return [Change("stage", text) for text in (*fetched, *brought)]


def _switch_changes(declared: Declared, found: Found) -> list[Change]:
    service = declared.service
    if service is None:
        return [Change("switch", "write trtedge.service for the staged model and start it")]
    needed = []
    if found.environment != service.environment:
        needed.append(Change("switch", _written("the environment file", found.environment)))
    if found.unit != service.unit:
        needed.append(Change("switch", _written("trtedge.service", found.unit)))
    if found.key_sha256 != declared.key_sha256:
        needed.append(Change("switch", "change the API key" if declared.key_sha256 else "remove the API key"))
    if found.current != declared.release.directory:
        needed.append(Change("switch", f"switch to release {declared.release.name}{_from(found.current)}"))
    if needed or _was_verified_otherwise(service, found) or not found.active:
        needed.append(Change("switch", _restart(needed, found)))
    return needed


def _was_verified_otherwise(service: Service, found: Found) -> bool:
    recorded = found.state.get("drop_ins")
    others = recorded not in (None, found.drop_in_digests)
    return found.state.get("identity") != service.identity or others or found.unread


def _restart(needed: Sequence[Change], found: Found) -> str:
    if not found.active:
        return "start trtedge"
    return "restart trtedge" if needed else "restart trtedge: it runs from something else than was verified"


def _written(what: str, before: str | None) -> str:
    return f"write {what}" if before is None else f"change {what}"


def _from(current: str | None) -> str:
    return f" from {PurePosixPath(current).name}" if current else ""


def _called(checkpoint: Checkpoint) -> str:
    return checkpoint.directory if _local(checkpoint) else f"{checkpoint.source}{_at(checkpoint)}"


def _at(checkpoint: Checkpoint) -> str:
    return f" at revision {checkpoint.revision[:12]}" if checkpoint.revision else " at its newest revision"


def _local(checkpoint: Checkpoint) -> bool:
    return checkpoint.source.startswith("/")
