"""The paired speed-up, its intervals, percentiles and the t distribution, against values worked out elsewhere."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeops.bench import distribution, statistics, student

BASE = [[40.0, 41.0], [38.0, 38.5], [42.0, 41.5], [39.0, 40.0], [40.5, 40.0], [37.0, 37.5]]
SPEC = [[70.0, 69.0], [61.0, 62.0], [66.0, 67.0], [48.0, 47.0], [74.0, 75.0], [52.0, 51.0]]
PAIRS = {
    f"p{i}": list(zip(before, after, strict=True)) for i, (before, after) in enumerate(zip(BASE, SPEC, strict=True))
}

T_TABLE = {
    # Degrees: two-sided 95 % and 99 %, from the NIST/SEMATECH e-Handbook of Statistical Methods, table 1.3.6.7.2.
    1: (12.706, 63.657),
    2: (4.303, 9.925),
    3: (3.182, 5.841),
    4: (2.776, 4.604),
    5: (2.571, 4.032),
    6: (2.447, 3.707),
    10: (2.228, 3.169),
    11: (2.201, 3.106),
    30: (2.042, 2.750),
    99: (1.984, 2.626),
}


def test_the_ratios_of_the_prompts_are_those_of_the_vector() -> None:
    ratios = [math.exp(value) for value in statistics.log_ratios(PAIRS)]
    assert ratios == pytest.approx([1.7161, 1.6078, 1.5928, 1.2026, 1.8509, 1.3825], abs=5e-5)


def test_the_speed_up_is_the_geometric_mean_over_prompts() -> None:
    found = statistics.speedup(PAIRS)
    assert found is not None
    assert found.e2e == pytest.approx(1.5435, abs=5e-5)
    assert found.prompts == 6


def test_the_t_interval_is_that_of_the_vector() -> None:
    found = statistics.speedup(PAIRS)
    assert found is not None
    assert found.t_interval is not None
    assert (found.t_interval.lo, found.t_interval.hi) == pytest.approx((1.3108, 1.8177), abs=5e-5)


def test_the_bootstrap_over_prompts_is_that_of_the_vector() -> None:
    found = statistics.speedup(PAIRS)
    assert found is not None
    assert found.bootstrap is not None
    assert (found.bootstrap.lo, found.bootstrap.hi) == pytest.approx((1.3681, 1.7170), abs=5e-5)


def test_one_prompt_has_a_speed_up_and_no_interval() -> None:
    found = statistics.speedup({"only": [(50.0, 100.0)]})
    assert found is not None
    assert found.e2e == pytest.approx(2.0)
    assert found.t_interval is None
    assert found.bootstrap is None


def test_prompts_without_a_complete_block_do_not_count() -> None:
    assert statistics.speedup({"empty": []}) is None
    assert statistics.speedup({}) is None


@pytest.mark.parametrize("degrees", T_TABLE)
def test_quantiles_of_t_are_those_of_the_published_table(degrees: int) -> None:
    found = student.quantile(0.95, degrees), student.quantile(0.99, degrees)
    assert found == pytest.approx(T_TABLE[degrees], abs=5e-4)


def test_the_quantile_for_six_prompts_has_five_figures() -> None:
    assert student.quantile(0.95, 5) == pytest.approx(2.570582, abs=1e-6)


@given(degrees=st.integers(1, 300), confidence=st.floats(0.5, 0.999))
def test_a_quantile_gives_back_its_probability(degrees: int, confidence: float) -> None:
    assert student.central_probability(student.quantile(confidence, degrees), degrees) == pytest.approx(confidence)


@given(
    st.lists(st.lists(st.floats(0.5, 2.0), min_size=1, max_size=4), min_size=2, max_size=9),
    st.floats(0.1, 10.0),
)
def test_a_constant_factor_is_found_exactly_and_without_doubt(rates: list[list[float]], factor: float) -> None:
    pairs = {str(i): [(rate, rate * factor) for rate in block] for i, block in enumerate(rates)}
    found = statistics.speedup(pairs)
    assert found is not None
    assert found.t_interval is not None
    assert found.e2e == pytest.approx(factor)
    assert (found.t_interval.lo, found.t_interval.hi) == pytest.approx((factor, factor), rel=1e-6)


@given(st.lists(st.tuples(st.floats(1, 200), st.floats(1, 200)), min_size=2, max_size=9))
def test_exchanging_the_arms_inverts_the_speed_up(blocks: list[tuple[float, float]]) -> None:
    there = statistics.speedup({str(i): [block] for i, block in enumerate(blocks)})
    back = statistics.speedup({str(i): [(after, before)] for i, (before, after) in enumerate(blocks)})
    assert there is not None
    assert back is not None
    assert there.t_interval is not None
    assert back.t_interval is not None
    assert there.e2e == pytest.approx(1 / back.e2e)
    assert there.t_interval.lo == pytest.approx(1 / back.t_interval.hi)
    assert there.t_interval.lo <= there.e2e * (1 + 1e-9)


@pytest.mark.parametrize("percent", [75, 90, 95, 97, 99])
def test_the_least_n_of_a_percentile_follows_its_rule(percent: int) -> None:
    def tail(n: int) -> float:
        p = 1 - percent / 100
        return (1 - p) ** n + n * p * (1 - p) ** (n - 1)

    least = distribution.LEAST[percent]
    assert tail(least) <= 0.01 < tail(least - 1)


def test_percentiles_are_by_nearest_rank() -> None:
    hundred = [float(i) for i in range(1, 101)]
    found = distribution.distribution(hundred)
    assert (found.p50, found.p90, found.p95, found.p99) == (50, 90, None, None)
    assert (found.n, found.mean, found.min, found.max) == (100, 50.5, 1, 100)


def test_a_percentile_appears_with_the_least_n_and_not_before() -> None:
    for percent, least in distribution.LEAST.items():
        values = [1.0] * least
        assert distribution.percentile(values, percent) == 1.0
        assert distribution.percentile(values[1:], percent) is None


def test_nothing_known_is_a_distribution_of_nothing() -> None:
    found = distribution.distribution([None, None])
    assert found.document() == {"n": 0, **dict.fromkeys(("mean", "p50", "p90", "p95", "p99", "min", "max"))}


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=200))
def test_a_percentile_is_one_of_the_values_and_no_fewer_lie_at_or_below_it(values: list[float]) -> None:
    found = distribution.distribution(values)
    for percent, value in ((50, found.p50), (90, found.p90), (95, found.p95)):
        if value is not None:
            assert value in values
            assert sum(1 for other in values if other <= value) >= percent / 100 * len(values)
