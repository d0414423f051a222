"""A later host against the canary of its own hardware: the same prompts, paired, by the statistics of the benchmark."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from edgeops.bench import regression
from edgeops.bench.records import Records
from edgeops.deployment.context import StartFailed, Work
from edgeops.deployment.report import HostReport
from edgeops.history import read_records

SLOWER = 0.90
"""Two boxes of one kind differ by some percent; surely more than a tenth below the canary is a fault."""


@dataclass
class CanaryGate:
    """Remembers each kind's canary and holds the others against it. Call it with a host's measured work."""

    canaries: frozenset[str]
    seen: dict[str, tuple[str, Records]] = field(default_factory=dict)

    def __call__(self, work: Work) -> None:
        """Raises StartFailed where the host is surely slower than its canary."""
        records = _measured(work.report)
        kind = hardware(records)
        if work.report.host in self.canaries:
            self.remember(work.report)
        elif kind in self.seen:
            canary, theirs = self.seen[kind]
            refuse_slower(canary, regression.compare(records, theirs))

    def remember(self, report: HostReport) -> None:
        """The canary of its hardware, where it was measured; the first one of a kind counts."""
        records = _measured(report)
        if kind := hardware(records):
            self.seen.setdefault(kind, (report.host, records))


def gate_of(canaries: Iterable[str], known: Iterable[HostReport]) -> CanaryGate:
    """The gate of a rollout; ``known`` are hosts of which an earlier part of it already knows how they ended."""
    gate = CanaryGate(frozenset(canaries))
    for report in known:
        if report.host in gate.canaries:
            gate.remember(report)
    return gate


def hardware(records: Records) -> str:
    """Board and GPU, as the host told them when it was measured; empty where it told neither."""
    machine = records.survey.machine if records.survey else {}
    return "/".join(machine[key] for key in ("board", "gpu") if machine.get(key))


def refuse_slower(canary: str, changes: list[regression.Change]) -> None:
    """Raise StartFailed for the first arm whose whole interval lies below SLOWER."""
    for change in changes:
        interval = change.gain.t_interval if change.gain else None
        if change.gain and interval and interval.hi < SLOWER:
            span = f"{interval.lo:.2f}x to {interval.hi:.2f}x"
            raise StartFailed(
                f"{change.arm} is {change.gain.e2e:.2f}x the canary {canary} of the same hardware ({span})"
            )


def _measured(report: HostReport) -> Records:
    path = (report.smoke or {}).get("records")
    return read_records(Path(path)).records if path else Records()
