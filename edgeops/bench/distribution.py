"""How figures of several requests are summarised: a percentile only where there are enough requests to speak of it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass

LEAST = {50: 1, 75: 24, 90: 64, 95: 130, 97: 219, 99: 662}
"""Percentile X needs the least n with P(Binomial(n, 1 - X) <= 1) <= 0.01.

Source: the early stopping floor of MLPerf Inference, https://github.com/mlcommons/inference_policies, "Early Stopping".
"""


@dataclass(frozen=True)
class Distribution:
    """``n`` values that gave a figure, and their summary; None where n is too small (or zero)."""

    n: int
    mean: float | None
    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None
    min: float | None
    max: float | None

    def document(self) -> dict[str, float | int | None]:
        """The JSON object ``DIST``."""
        return asdict(self)


def percentile(ordered: list[float], percent: int) -> float | None:
    """The nearest rank (no interpolation) in an ordered list; None below the least n of ``percent``."""
    if len(ordered) < LEAST[percent]:
        return None
    return ordered[-(-percent * len(ordered) // 100) - 1]


def distribution(values: Iterable[float | None]) -> Distribution:
    """Summarise the values that are known."""
    ordered = sorted(value for value in values if value is not None)
    known = len(ordered)
    return Distribution(
        n=known,
        mean=math.fsum(ordered) / known if known else None,
        p50=percentile(ordered, 50),
        p90=percentile(ordered, 90),
        p95=percentile(ordered, 95),
        p99=percentile(ordered, 99),
        min=ordered[0] if known else None,
        max=ordered[-1] if known else None,
    )
