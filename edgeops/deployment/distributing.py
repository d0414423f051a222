"""With ``--distribute``: what a host is sent from this machine instead of fetching it itself."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from edgeops import layout
from edgeops.deployment import staging
from edgeops.deployment.context import Work
from edgeops.deployment.phases import PhaseNotes
from edgeops.desired import Checkpoint, Declared
from edgeops.distribution import (
    Place,
    Wanted,
    checkpoint_files,
    commit_of,
    fetched,
    is_fetched,
    parcel_of,
    platform_of_host,
    send,
)
from edgeops.errors import EdgeopsError
from edgeops.quoting import shell
from edgeops.secret_files import read_secret


def with_sent_wheels(work: Work, declared: Declared, notes: PhaseNotes) -> Declared:
    """The release's wheels on the host, and ``declared`` such that pip takes them and asks no index."""
    release = declared.release
    notes.say(f"wheels of {release.requirement}: fetching them here once, sending what the host lacks")
    parcel = parcel_of(fetched(release, platform_of_host(work.session)))
    place = f"{layout.WHEELS}/{release.name}"
    sent = send(work.session, parcel, Place(place, renew=True))
    notes.say(f"sent {_amount(sent)} of {_amount(parcel.size)} of wheels")
    others = shell("find", layout.WHEELS, "-mindepth", "1", "-maxdepth", "1", "!", "-name", release.name)
    work.session.run(f"{others} -exec rm -rf {{}} +", sudo=True)
    return replace(declared, release=replace(release, pip_arguments=("--no-index", "--find-links", place)))


def located(work: Work, wish: staging.Wish) -> Checkpoint:
    """The commit that the revision is now, as the hub tells this machine; all hosts of a run get the same."""
    wanted = Wanted(wish.source, wish.revision or "", read_secret(work.settings.hf_token_file))
    commit = commit_of(wanted, work.run)
    return Checkpoint(wish.source, layout.model_directory(wish.source, commit), commit)


def send_models(work: Work, missing: Iterable[Checkpoint], notes: PhaseNotes) -> None:
    """Those that this machine has or can fetch: by id to where a download would be, a directory to the same path."""
    for checkpoint in missing:
        if not is_sent(checkpoint):
            continue
        parcel = parcel_of(_on_this_machine(work, checkpoint, notes))
        notes.say(f"sending {checkpoint.source}")
        sent = send(work.session, parcel, _place(checkpoint))
        notes.say(f"sent {_amount(sent)} of {_amount(parcel.size)} to {checkpoint.directory}")
        if checkpoint.revision:
            _mark(work, checkpoint)
    # What a transfer of another revision left, that was cut off and not gone on with.
    remains = shell("find", layout.RECORDS, "-mindepth", "1", "-maxdepth", "1", "-name", "*.incoming")
    work.session.run(f"{remains} -exec rm -rf {{}} +", sudo=True)


def is_sent(checkpoint: Checkpoint) -> bool:
    """Whether it is named by its id, or this machine has what the settings name by its directory."""
    return not checkpoint.source.startswith("/") or (Path(checkpoint.directory) / "config.json").is_file()


def _on_this_machine(work: Work, checkpoint: Checkpoint, notes: PhaseNotes) -> Path:
    if checkpoint.revision is None:
        return Path(checkpoint.directory)
    wanted = Wanted(checkpoint.source, checkpoint.revision, read_secret(work.settings.hf_token_file))
    if not is_fetched(wanted):
        if work.settings.hf_offline:
            remedy = "Put the files on the host, or set hf_offline: false."
            raise EdgeopsError(f"hf_offline is set, and neither the host nor this machine has {wanted}", remedy)
        notes.say(f"downloading {checkpoint.source} here once")
    return checkpoint_files(wanted)


def _place(checkpoint: Checkpoint) -> Place:
    if checkpoint.revision is None:
        return Place(checkpoint.directory)
    arrival = layout.model_arrival(checkpoint.source, checkpoint.revision)
    return Place(checkpoint.directory, owner=f"{layout.USER}:", renew=True, arrival=arrival)


def _mark(work: Work, checkpoint: Checkpoint) -> None:
    """As a download does when it is complete, so that the next deploy finds it staged."""
    marker = shell(f"{checkpoint.directory}/.edgeops.json")
    line = f"cat > {marker}.new && mv {marker}.new {marker}"
    answer = work.session.run(line, user=layout.USER, stdin=json.dumps(checkpoint.marker))
    if answer.rc:
        raise EdgeopsError(f"{checkpoint.directory} cannot be marked as complete: {answer.err.strip()[-200:]}")


def _amount(size: int) -> str:
    unit, name = next(((unit, name) for unit, name in _UNITS if size >= unit), (1, "bytes"))
    return f"{size / unit:.1f} {name}" if unit > 1 else f"{size} bytes"


_UNITS = ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
