"""What a gate may name: figures of an arm or of a speed-up, and guards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from edgeops.bench.guards import GUARDS

Document = Mapping[str, Any]


@dataclass(frozen=True)
class Metric:
    """A figure of one workload of ``edgeops.smoke/1``: ``find(workload, arm)`` gives it, None when it is not known."""

    label: str
    unit: str
    find: Callable[[Document, str], float | None]

    def said(self, value: float) -> str:
        """The value with its unit: ``126.9 tok/s``."""
        form = f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"
        return f"{form}{self.unit}"


def _dist(figure: str, value: str) -> Callable[[Document, str], float | None]:
    def find(workload: Document, arm: str) -> float | None:
        return (_arm(workload, arm).get(figure) or {}).get(value)

    return find


def _plain(figure: str) -> Callable[[Document, str], float | None]:
    return lambda workload, arm: _arm(workload, arm).get(figure)


def _speedup(value: str) -> Callable[[Document, str], float | None]:
    return lambda workload, arm: (workload["speedup"].get(arm) or {}).get(value)


def _failed(workload: Document, arm: str) -> float | None:
    found = _arm(workload, arm).get("failed")
    return float(sum(found.values())) if found is not None else None


def _arm(workload: Document, arm: str) -> Document:
    found: Document = workload["arms"].get(arm) or {}
    return found


METRICS: dict[str, Metric] = {
    "e2e": Metric("the end-to-end rate", " tok/s", _dist("e2e_tok_s", "mean")),
    "decode": Metric("the decode rate", " tok/s", _dist("decode_tok_s", "mean")),
    "tpot": Metric("the time per output token", " ms", _dist("tpot_ms", "mean")),
    "ttft_p50": Metric("the median time to first text", " ms", _dist("ttft_ms", "p50")),
    "ttft_p90": Metric("the time to first text, p90,", " ms", _dist("ttft_ms", "p90")),
    "ttft_max": Metric("the longest time to first text", " ms", _dist("ttft_ms", "max")),
    "tokens_per_step": Metric("the tokens a step", "", _plain("tokens_per_step")),
    "output_tokens": Metric("the mean answer", " tokens", _dist("output_tokens", "mean")),
    "failed": Metric("the number of failed requests", "", _failed),
    "speedup": Metric("the speed-up", "x", _speedup("e2e")),
    "speedup_lo": Metric("the low end of the speed-up's interval", "x", _speedup("lo")),
}

ALL_GUARDS = "guards"
FLAGS = frozenset({ALL_GUARDS, *(name for name, *_ in GUARDS)})
