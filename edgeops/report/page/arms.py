"""What a reader calls an arm, and in which colour it is drawn: the same one in every chart of a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from edgeops.bench.comparison import ArmRecords, arm_records, k_of
from edgeops.bench.records import Header, Records

BASELINE = "baseline"
_COLOURS = 5


@dataclass(frozen=True)
class Series:
    """One arm of one workload. ``css`` names its colour."""

    workload: str
    arm: str
    css: str
    records: ArmRecords

    @property
    def label(self) -> str:
        """``baseline`` or ``k=3``."""
        return named(self.arm)


def named(arm: str) -> str:
    """``k=3`` for ``k3``; every other arm has a word for a name."""
    return f"k={k_of(arm)}" if k_of(arm) else arm


def colours(header: Header) -> dict[str, str]:
    """The class of each arm: ``arm-0`` for arms without drafts, then one after the other."""
    found: dict[str, str] = {}
    for arm in header.arms:
        drafting = sum(1 for css in found.values() if css != "arm-0")
        found[arm] = f"arm-{drafting % _COLOURS + 1}" if k_of(arm) else "arm-0"
    return found


def series(records: Records) -> Iterator[Series]:
    """Every arm of every workload, in the order in which they were measured."""
    header = records.header
    if header is None:
        return
    chosen = colours(header)
    for workload in header.workloads:
        for arm in header.arms:
            yield Series(workload, arm, chosen[arm], arm_records(records, workload, arm))


def legend(header: Header) -> tuple[tuple[str, str], ...]:
    """Classes and labels of all arms."""
    return tuple((css, named(arm)) for arm, css in colours(header).items())
