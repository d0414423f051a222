"""Drift of what is installed: the release, its packages, the files of model and draft."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from edgeops import layout
from edgeops.quoting import shell
from edgeops.status.drift import Drift, Remedies
from edgeops.status.seen import Seen

_SHOWN = 12
"""Characters of a fingerprint that are shown."""


def release(seen: Seen) -> Iterator[Drift]:
    """The link to the release, and whether that one is whole."""
    declared, link = seen.declared, seen.found.current
    wanted = declared.release.name if declared else str(seen.state.get("release") or "")
    if wanted and link != layout.release_directory(wanted):
        named = link and link == layout.release_directory(PurePosixPath(link).name)
        actual = PurePosixPath(link).name if link and named else link or "none"
        yield Drift("release", wanted, actual, Remedies(seen.host.name).deploy)
    elif declared and seen.found.release != declared.release.marker:
        actual = "an installation that was cut off" if seen.found.release is None else "another one of that name"
        yield Drift("release", declared.release.requirement, actual, Remedies(seen.host.name).deploy)


def packages(seen: Seen) -> Iterator[Drift]:
    """Each package of the release against its version when the release was installed."""
    for name, (declared, actual) in (seen.running.packages or {}).items():
        if actual != declared:
            yield Drift(f"package {name}", declared, actual or "not installed", _install(seen, name, declared))


def checkpoints(seen: Seen) -> Iterator[Drift]:
    """The files of model and draft against those that were verified."""
    for number, recorded in enumerate(seen.recorded_checkpoints):
        directory, was = str(recorded.get("directory")), str(recorded.get("fingerprint"))
        there = seen.found.checkpoints.get(directory)
        now = there.fingerprint if there else None
        if now != was:
            before, after = (_told(was, recorded.get("bytes")), _told(now, there.size if there else None))
            what = "draft model" if number else "model"
            yield Drift(
                what, before, f"{after} in {directory}", _files_again(seen, recorded.get("revision"), directory)
            )


def _install(seen: Seen, name: str, version: str) -> str:
    python = f"{layout.CURRENT}/venv/bin/python"
    where = seen.declared.release.pip_arguments if seen.declared else ()
    where = where if not any("@" in word for word in where) else ()  # an index's address may hold a password
    pip = shell("sudo", python, "-m", "pip", "install", "--no-deps", *where, f"{name}=={version}")
    return Remedies(seen.host.name).there(f"{pip} && sudo systemctl restart trtedge")


def _files_again(seen: Seen, revision: object, directory: str) -> str:
    remedies = Remedies(seen.host.name)
    if revision and directory.startswith(f"{layout.MODELS}/") and ".." not in directory:
        fetch = remedies.there(f"sudo rm -r {shell(directory)}")
        return f"{remedies.deploy}   # takes what is there if it serves; to download it again, first {fetch}"
    return f"{remedies.deploy}   # takes what is there if it serves; else put the verified files back first"


def _told(fingerprint: str | None, size: object) -> str:
    if fingerprint is None:
        return "nothing"
    return f"{fingerprint[:_SHOWN]} ({size:,} bytes)" if isinstance(size, int) else fingerprint[:_SHOWN]
