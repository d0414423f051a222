"""How much faster, and how sure that is: paired per prompt, because acceptance is bound to what is written."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from edgeops.bench import student

CONFIDENCE = 0.95
RESAMPLES = 10_000

Pairs = Mapping[str, Sequence[tuple[float, float]]]
"""For each prompt its complete blocks: (baseline, speculative) end-to-end rates in tokens a second."""


@dataclass(frozen=True)
class Interval:
    lo: float
    hi: float


@dataclass(frozen=True)
class Speedup:
    """``e2e`` = exp(mean of the prompts' ``d_p``). The intervals are None below two prompts."""

    e2e: float
    prompts: int
    t_interval: Interval | None
    bootstrap: Interval | None


def log_ratios(pairs: Pairs) -> list[float]:
    """``d_p = mean ln(speculative) - mean ln(baseline)`` over the blocks of each prompt that has one."""
    blocks = [blocks for blocks in pairs.values() if blocks]
    return [_mean([math.log(after) - math.log(before) for before, after in block]) for block in blocks]


def speedup(pairs: Pairs, confidence: float = CONFIDENCE) -> Speedup | None:
    """The paired speed-up with its intervals over prompts; None when no prompt has a complete block."""
    ratios = log_ratios(pairs)
    if not ratios:
        return None
    several = len(ratios) > 1
    return Speedup(
        e2e=math.exp(_mean(ratios)),
        prompts=len(ratios),
        t_interval=t_interval(ratios, confidence) if several else None,
        bootstrap=bootstrap(ratios, confidence=confidence) if several else None,
    )


def t_interval(ratios: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """Student's interval of the geometric mean over prompts (two or more)."""
    mean, degrees = _mean(ratios), len(ratios) - 1
    spread = math.sqrt(math.fsum((ratio - mean) ** 2 for ratio in ratios) / degrees)
    reach = student.quantile(confidence, degrees) * spread / math.sqrt(len(ratios))
    return Interval(math.exp(mean - reach), math.exp(mean + reach))


def bootstrap(ratios: Sequence[float], seed: int = 1, confidence: float = CONFIDENCE) -> Interval:
    """The percentile interval from resampled prompts (never requests); too narrow below about 12 prompts."""
    source, size = random.Random(seed), len(ratios)
    means = sorted(math.exp(sum(source.choices(ratios, k=size)) / size) for _ in range(RESAMPLES))
    outside = round(RESAMPLES * (1 - confidence) / 2)
    return Interval(means[outside - 1], means[RESAMPLES - outside - 1])


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
