"""What would be done, as sentences for people."""

from __future__ import annotations

from edgeops.preparation.apt import Simulation, Step
from edgeops.preparation.mending import Mending
from edgeops.preparation.source import Missing

REFRESH = "refresh the package lists"


def all_changes(mended: Mending, packages: list[str]) -> list[str]:
    """In the order in which it will be done; ``packages`` is what apt does."""
    groups = [f"create the system group {name}" for name in mended.groups]
    return [*groups, *packages, *hold_changes(mended)]


def hold_changes(mended: Mending) -> list[str]:
    """The names are told where they were not told before, as packages to install."""
    if not mended.holds:
        return []
    if set(mended.holds) <= set(mended.names):
        return [f"put the {len(mended.holds)} packages of TensorRT on hold"]
    return [f"put on hold: {', '.join(mended.holds)}"]


def package_changes(planned: Simulation) -> list[str]:
    """One sentence for all packages that go from one version to another, or are new in one version."""
    grouped: dict[tuple[str, str], list[Step]] = {}
    for step in planned.installs:
        grouped.setdefault((step.before, step.after), []).append(step)
    return [_change(before, after, steps) for (before, after), steps in grouped.items()]


def conditional_changes(mended: Mending, missing: Missing) -> list[str]:
    """For package lists that do not have everything: whether it can be installed is known after refreshing them."""
    return [
        f"{REFRESH}: {missing.sentence}",
        f"install, if all of them can be had then: {', '.join(mended.packages)}",
    ]


def _change(before: str, after: str, steps: list[Step]) -> str:
    names = ", ".join(step.name for step in steps)
    return f"change {names} from {before} to {after}" if before else f"install {names} {after}"
