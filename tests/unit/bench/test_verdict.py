"""One word from an interval and its guards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeops.bench.guards import Guard
from edgeops.bench.statistics import Interval, Speedup
from edgeops.bench.verdict import Verdict, judge, judge_interval, overall

VALID = Guard("idle", "validity", True, "idle")
INVALID = Guard("idle", "validity", False, "somebody else was there")
HARMFUL = Guard("ttft", "harm", False, "the first text came later")
NOT_APPLICABLE = Guard("idle", "validity", None, "not told")


def gain(lo: float, hi: float) -> Speedup:
    return Speedup((lo + hi) / 2, 6, Interval(lo, hi), None)


@pytest.mark.parametrize(
    ("lo", "hi", "word"),
    [
        (1.31, 1.82, "faster"),
        (1.031, 1.5, "faster"),
        (1.03, 1.5, "inconclusive"),
        (0.99, 1.03, "no useful gain"),
        (0.9, 1.0, "no useful gain"),
        (0.5, 0.999, "slower"),
        (0.99, 1.031, "inconclusive"),
        (1.0, 1.1, "inconclusive"),
    ],
)
def test_the_word_follows_from_the_interval(lo: float, hi: float, word: str) -> None:
    assert judge(gain(lo, hi), [VALID, NOT_APPLICABLE]).word == word


@given(st.floats(0.1, 4), st.floats(0.1, 4))
def test_every_interval_has_exactly_one_word(one: float, other: float) -> None:
    lo, hi = sorted((one, other))
    word = judge_interval(Interval(lo, hi)).word
    assert (word == "faster") == (lo > 1.03)
    assert (word == "slower") == (hi < 1.0)
    assert (word == "no useful gain") == (1.0 <= hi <= 1.03)


@pytest.mark.parametrize(("lo", "hi"), [(1.3, 1.8), (0.5, 0.9), (0.99, 1.01)])
def test_a_failed_validity_guard_makes_any_verdict_inconclusive(lo: float, hi: float) -> None:
    assert judge(gain(lo, hi), [INVALID]) == Verdict("inconclusive", "somebody else was there")


def test_a_failed_harm_guard_takes_back_faster_and_nothing_else() -> None:
    assert judge(gain(1.3, 1.8), [HARMFUL]) == Verdict("inconclusive", "faster, but the first text came later")
    assert judge(gain(0.5, 0.9), [HARMFUL]).word == "slower"
    assert judge(gain(0.99, 1.01), [HARMFUL]).word == "no useful gain"


def test_without_an_interval_there_is_no_verdict() -> None:
    assert judge(None, []).word == "inconclusive"
    assert judge(Speedup(1.7, 1, None, None), []).word == "inconclusive"


def test_a_host_has_the_word_on_which_its_workloads_agree() -> None:
    faster, slower = Verdict("faster", ""), Verdict("slower", "")
    assert overall([faster, faster]) == "faster"
    assert overall([faster, slower]) == "inconclusive"
