"""Overlay mounts: one shared tree below, one host's own changes above (https://docs.kernel.org/filesystems/overlayfs.html)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from edgeops.errors import EdgeopsError
from edgeops.lab.programs import run


def mount(lower: Sequence[Path], upper: Path, work: Path, merged: Path) -> None:
    """Mount ``upper`` over ``lower`` (the topmost first) at ``merged``."""
    for directory in (upper, work, merged):
        directory.mkdir(parents=True, exist_ok=True)
    lowers = ":".join(str(path) for path in lower)
    run("mount", "-t", "overlay", "overlay", "-o", f"lowerdir={lowers},upperdir={upper},workdir={work}", merged)


def unmount(merged: Path) -> None:
    """Undo every mount at or below ``merged``; nothing happens when there is none."""
    for point in sorted(mounts_below(merged), reverse=True):
        try:
            run("umount", point)
        except EdgeopsError:
            run("umount", "--lazy", point)


def mounts_below(directory: Path) -> list[str]:
    """Mount points at or below ``directory``, as the kernel has them (proc(5), mountinfo)."""
    prefix = str(directory)
    points = [_unescape(line.split()[4]) for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    return [point for point in points if point == prefix or point.startswith(prefix + "/")]


def is_mounted(merged: Path) -> bool:
    return str(merged) in mounts_below(merged)


@contextmanager
def overlaid(lower: Sequence[Path], upper: Path, scratch: Path) -> Iterator[Path]:
    """A merged tree whose changes end up in ``upper``, unmounted at the end whatever happens."""
    merged = scratch / "merged"
    mount(lower, upper, scratch / "work", merged)
    try:
        yield merged
    finally:
        unmount(merged)


def _unescape(path: str) -> str:
    return path.encode().decode("unicode_escape")
