"""Things that are built once per machine: beside their place, renamed into it when whole, and checked before use."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

Report = Callable[[str], None]
"""Takes one line of progress."""

MARKER = "complete"
TREE = "tree"


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


def prune(cache: Path) -> None:
    """Remove builds that were interrupted and trees that were replaced. Only while no host is using the cache."""
    for leftover in [*cache.glob("*.building-*"), *cache.glob("*.old-*")]:
        shutil.rmtree(leftover, ignore_errors=True)


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
    draft = place.with_name(f"{place.name}.building-{secrets.token_hex(4)}")
    (draft / TREE).mkdir(parents=True)
    try:
        recipe.build(draft / TREE)
        (draft / MARKER).write_text(listing_digest(draft / TREE))
        draft.rename(place)
    finally:
        if draft.exists():
            shutil.rmtree(draft, ignore_errors=True)
    return place / TREE


def _aside(place: Path) -> Path:
    return place.with_name(f"{place.name}.old-{secrets.token_hex(4)}")
