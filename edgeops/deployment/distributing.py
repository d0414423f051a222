"""With ``--distribute``: what a host is sent from this machine instead of fetching it itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from edgeops import layout
from edgeops.deployment import plan
from edgeops.deployment.context import Work
from edgeops.deployment.phases import PhaseNotes
from edgeops.desired import Checkpoint, Declared
from edgeops.distribution import fetched, parcel_of, platform_of_host, send
from edgeops.quoting import shell


def with_sent_wheels(work: Work, declared: Declared, notes: PhaseNotes) -> Declared:
    """The release's wheels on the host, and ``declared`` such that pip takes them and asks no index."""
    release = declared.release
    notes.say(f"wheels of {release.requirement}: fetching them here once, sending what the host lacks")
    parcel = parcel_of(fetched(release, platform_of_host(work.session)))
    place = f"{layout.WHEELS}/{release.name}"
    sent = send(work.session, parcel, place, renew=True)
    notes.say(f"sent {_amount(sent)} of {_amount(parcel.size)} of wheels")
    others = shell("find", layout.WHEELS, "-mindepth", "1", "-maxdepth", "1", "!", "-name", release.name)
    work.session.run(f"{others} -exec rm -rf {{}} +", sudo=True)
    return replace(declared, release=replace(release, pip_arguments=("--no-index", "--find-links", place)))


def send_models(work: Work, checkpoints: Iterable[Checkpoint], notes: PhaseNotes) -> None:
    """Directories of this machine to the same paths on the host, where the host has none."""
    for checkpoint in checkpoints:
        if is_sent(checkpoint) and not plan.is_staged(checkpoint, work.found):
            notes.say(f"sending {checkpoint.directory}")
            parcel = parcel_of(Path(checkpoint.directory))
            sent = send(work.session, parcel, checkpoint.directory, renew=False)
            notes.say(f"sent {_amount(sent)} of {_amount(parcel.size)} to {checkpoint.directory}")


def is_sent(checkpoint: Checkpoint) -> bool:
    """Whether this machine has what the settings name by its directory."""
    return checkpoint.revision is None and (Path(checkpoint.directory) / "config.json").is_file()


def _amount(size: int) -> str:
    unit, name = next(((unit, name) for unit, name in _UNITS if size >= unit), (1, "bytes"))
    return f"{size / unit:.1f} {name}" if unit > 1 else f"{size} bytes"


_UNITS = ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
