"""The launches of one server in one run: what was measured of each, and which did not come up."""

from __future__ import annotations

from dataclasses import dataclass

from edgeops.bench.choice import SEVERAL_CONFIDENCE
from edgeops.bench.comparison import k_of
from edgeops.bench.records import Records
from edgeops.bench.result import BASELINE
from edgeops.bench.statistics import CONFIDENCE

VANILLA = "vanilla_engine"


@dataclass(frozen=True)
class Unserved:
    """An arm that could not be measured, because the server did not come up with it, or may not be started so.

    ``possible``: it could have worked, so nothing is decided about it; False for one that model and draft rule out.
    """

    method: str
    k: int
    reason: str
    workloads: tuple[str, ...]
    possible: bool = True

    @property
    def arm(self) -> str:
        return f"k{self.k}" if self.k else BASELINE


@dataclass(frozen=True)
class Sweep:
    """Everything measured on one host in one run."""

    host: str
    records: str
    parts: tuple[Records, ...]
    unserved: tuple[Unserved, ...] = ()

    @property
    def methods(self) -> tuple[str, ...]:
        """The speculative ones, in the order in which they were tried."""
        told = [part.header.method for part in self._speculative if part.header and part.header.method]
        return tuple(dict.fromkeys([*told, *(one.method for one in self.unserved if one.k)]))

    @property
    def vanilla(self) -> tuple[Records, ...]:
        return tuple(part for part in self._measured if part.header and part.header.baseline_kind == VANILLA)

    @property
    def confidence(self) -> float:
        """Of each interval: 95 % for one arm, 99 % where several are compared."""
        arms = {(p.header.method, p.header.k) for p in self._speculative if p.header}
        return CONFIDENCE if len(arms) < 2 else SEVERAL_CONFIDENCE

    def of(self, method: str) -> tuple[Records, ...]:
        return tuple(part for part in self._speculative if part.header and part.header.method == method)

    @property
    def _measured(self) -> tuple[Records, ...]:
        return tuple(part for part in self.parts if part.header is not None)

    @property
    def _speculative(self) -> tuple[Records, ...]:
        return tuple(part for part in self._measured if part.header and any(k_of(arm) for arm in part.header.arms))
