"""Past runs of several shapes, for the page: with samples, failures, several k, hostile names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from edgeops.bench.records import Request
from edgeops.history import PastRun, read_run
from tests.unit.bench.arms import PROMPTS, answer, benchmark, failed
from tests.unit.history.kept import keep

NAME = "20261130-120000-smoke-00aa"
STEADY = (1.0, 1.01, 0.99, 1.01, 0.99, 1.0)
EVIL = '"><script>alert(1)</script><img src=http://192.0.2.1/x onerror=alert(2)>\u202e{{ 7*7 }}'


def past(root: Path, requests: Sequence[Request] | None = None, *wanted: str, **changes: Any) -> PastRun:
    """A smoke of one host, read back."""
    made = benchmark({"baseline": 70.0, "k3": 115.0}, STEADY) if requests is None else requests
    run, _ = keep(root, NAME, made, *wanted, **changes)
    return read_run(run.directory)


def several_k() -> tuple[Request, ...]:
    """Baseline and four drafting arms, two requests of which failed."""
    speeds = {"baseline": 70.0, "k1": 100.0, "k3": 115.0, "k5": 108.0, "k7": 60.0}
    return (*benchmark(speeds, STEADY), failed("k7", "a"), failed("k7", "b"))


def many(prompts: int) -> tuple[Request, ...]:
    """One block of many prompts in both arms."""
    rates = {"baseline": 70.0, "k3": 115.0}
    names = [f"{PROMPTS[number % 6]}{number}" for number in range(prompts)]
    return tuple(answer(arm, name, rate + len(name)) for name in names for arm, rate in rates.items())
