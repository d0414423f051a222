"""Things that are built once per machine: beside their place, renamed into it when whole, and checked before use."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from edgeops.lab.overlay import mounts_below, unmount

Report = Callable[[str], None]
"""Takes one line of progress."""

MARKER = "complete"
TREE = "tree"
BUILDING = ".building-"
OLD = ".old-"
FORGOTTEN_S = 30 * 24 * 3600


@dataclass(frozen=True)
class Recipe:
    """``name`` and ``ingredients`` (everything that decides the result) name the place; ``build`` fills a directory."""

    name: str
    ingredients: tuple[str, ...]
    build: Callable[[Path], None]
    notice: str

    def place(self, cache: Path) -> Path:
        return cache / f"{self.name}-{digest(self.ingredients)}"


def obtain(recipe: Recipe, cache: Path, report: Report) -> Path:
    """The recipe's tree, built when it is absent, half-built or damaged. Returns the directory with the content."""
    place = recipe.place(cache)
    if is_whole(place):
        os.utime(place)
        return place / TREE
    if place.exists():
        report(f"{place} is incomplete or damaged: building it again")
        place.rename(_aside(place))
    report(recipe.notice)
    return _build(recipe, place)


def is_whole(place: Path) -> bool:
    """Whether the marker is there and every file has the size it had when the tree was finished."""
    try:
        return (place / MARKER).read_text() == listing_digest(place / TREE)
    except OSError:
        return False


def prune(cache: Path, used: Iterable[Path], *, mounted: bool) -> None:
    """Remove interrupted builds, and what no host has below it: replaced trees, and recipes not asked for in a month.

    A replaced tree may still be below a running host, under its former name: it stays while anything is ``mounted``.
    """
    keep = {path.parent for path in used}
    for place in cache.iterdir() if cache.is_dir() else ():
        forgotten = time.time() - place.stat().st_mtime > FORGOTTEN_S
        gone = not mounted if OLD in place.name else forgotten and place not in keep
        if BUILDING in place.name or gone:
            discard(place)


def discard(directory: Path) -> None:
    """Remove a tree, but never through something that is mounted in it."""
    unmount(directory)
    if not mounts_below(directory):
        shutil.rmtree(directory, ignore_errors=True)


def digest(parts: tuple[str, ...]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def listing_digest(tree: Path) -> str:
    """A fingerprint of all paths below ``tree`` with kind and size (not of the contents: this runs at each start)."""
    summary = hashlib.sha256()
    for line in _listing(str(tree), ""):
        summary.update(line.encode(errors="surrogateescape"))
    return summary.hexdigest()


def _listing(directory: str, prefix: str) -> Iterator[str]:
    with os.scandir(directory) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            status = entry.stat(follow_symlinks=False)
            path = f"{prefix}/{entry.name}"
            is_directory = entry.is_dir(follow_symlinks=False)
            yield f"{path}\t{status.st_mode:o}\t{0 if is_directory else status.st_size}\n"
            if is_directory:
                yield from _listing(entry.path, path)


def _build(recipe: Recipe, place: Path) -> Path:
    draft = place.with_name(f"{place.name}{BUILDING}{secrets.token_hex(4)}")
    (draft / TREE).mkdir(parents=True)
    try:
        recipe.build(draft / TREE)
        (draft / MARKER).write_text(listing_digest(draft / TREE))
        draft.rename(place)
    finally:
        if draft.exists():
            discard(draft)
    return place / TREE


def _aside(place: Path) -> Path:
    return place.with_name(f"{place.name}{OLD}{secrets.token_hex(4)}")
