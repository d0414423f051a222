"""A later host against the canary of its own hardware: the same prompts, paired, by the statistics of the benchmark."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from edgeops.bench import regression
from edgeops.bench.records import Records
from edgeops.deployment.context import StartFailed, Work
from edgeops.history import read_records
from edgeops.rollout.beginning import kind_of

SLOWER = 0.90
"""Two boxes of one kind differ by some percent; surely more than a tenth below the canary is a fault."""


@dataclass
class CanaryGate:
    """Remembers each kind's canary and holds the others against it. Call it with a host's measured work."""

    canaries: frozenset[str]
    seen: dict[str, tuple[str, Records]] = field(default_factory=dict)

    def __call__(self, work: Work) -> None:
        """Raises StartFailed where the host is surely slower than its canary."""
        if work.facts is None or not work.report.smoke or not work.report.smoke.get("records"):
            return
        kind, records = kind_of(work.facts), read_records(Path(work.report.smoke["records"])).records
        if work.report.host in self.canaries:
            self.seen.setdefault(kind, (work.report.host, records))
        elif kind in self.seen:
            canary, theirs = self.seen[kind]
            refuse_slower(canary, regression.compare(records, theirs))


def refuse_slower(canary: str, changes: list[regression.Change]) -> None:
    """Raise StartFailed for the first arm whose whole interval lies below SLOWER."""
    for change in changes:
        interval = change.gain.t_interval if change.gain else None
        if change.gain and interval and interval.hi < SLOWER:
            span = f"{interval.lo:.2f}x to {interval.hi:.2f}x"
            raise StartFailed(
                f"{change.arm} is {change.gain.e2e:.2f}x the canary {canary} of the same hardware ({span})"
            )
