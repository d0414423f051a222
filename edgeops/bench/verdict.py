"""From a speed-up and its guards to one word and its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from edgeops.bench.guards import Guard
from edgeops.bench.statistics import Interval, Speedup

Word = Literal["faster", "no useful gain", "slower", "inconclusive"]

USEFUL = 1.03
"""A gain of less than 3 % is not worth a second set of weights in memory."""


@dataclass(frozen=True)
class Verdict:
    word: Word
    reason: str


def judge(speedup: Speedup | None, guards: Sequence[Guard]) -> Verdict:
    """The verdict of one k against the baseline, on the t-interval over prompts.

    A failed validity guard makes any verdict inconclusive; a failed harm guard only takes back ``faster``.
    """
    invalid = _failed(guards, "validity")
    if invalid:
        return Verdict("inconclusive", invalid)
    if speedup is None:
        return Verdict("inconclusive", "no prompt was answered in both arms")
    if speedup.t_interval is None:
        return Verdict("inconclusive", "one prompt gives no interval: at least two are needed")
    measured = judge_interval(speedup.t_interval)
    harm = _failed(guards, "harm")
    if measured.word == "faster" and harm:
        return Verdict("inconclusive", f"faster, but {harm}")
    return measured


def judge_interval(interval: Interval) -> Verdict:
    """``faster`` above 1.03, ``no useful gain`` up to it, ``slower`` below 1.00; an interval across is inconclusive."""
    lo, hi = interval.lo, interval.hi
    if lo > USEFUL:
        return Verdict("faster", f"even the low end of the interval, {lo:.2f}x, is above {USEFUL:.2f}x")
    if hi < 1.0:
        return Verdict("slower", f"even the high end of the interval, {hi:.2f}x, is below 1.00x")
    if hi <= USEFUL:
        return Verdict("no useful gain", f"even the high end of the interval, {hi:.2f}x, is at most {USEFUL:.2f}x")
    text = (
        f"the interval, {lo:.3f}x to {hi:.3f}x, lies on both sides of {USEFUL:.2f}x: more prompts or blocks would tell"
    )
    return Verdict("inconclusive", text)


def overall(verdicts: Sequence[Verdict]) -> Word:
    """One word for a host: the one on which all agree, else inconclusive."""
    words = {verdict.word for verdict in verdicts}
    return words.pop() if len(words) == 1 else "inconclusive"


def _failed(guards: Sequence[Guard], kind: str) -> str:
    return "; ".join(guard.detail for guard in guards if guard.kind == kind and guard.ok is False)
