"""From measured arms to one setting: the rule, case by case."""

from __future__ import annotations

import pytest

from edgeops.bench.choice import Choice, Scored, choose, combine, scored


def arm(k: int, e2e: float, half: float = 0.02, method: str = "dspark") -> Scored:
    lo, hi = e2e - half, e2e + half
    word = "faster" if lo > 1.03 else "slower" if hi < 1 else "no useful gain" if hi <= 1.03 else "inconclusive"
    return Scored(method, k, e2e, lo, hi, word)


@pytest.mark.parametrize(
    ("arms", "answer", "k"),
    [
        ([arm(1, 1.3), arm(3, 1.6), arm(5, 1.5)], "use", 3),
        ([arm(1, 1.6), arm(3, 1.4), arm(5, 1.2)], "use", 1),
        ([arm(3, 1.60), arm(5, 1.62)], "use", 3),
        ([arm(1, 1.2, 0.1), arm(3, 1.35, 0.2), arm(5, 1.7, 0.2)], "use", 3),
        ([arm(1, 0.9), arm(3, 0.8)], "off", 0),
        ([arm(1, 1.0), arm(3, 0.8)], "off", 0),
        ([arm(1, 1.02, 0.05), arm(3, 0.8)], "inconclusive", None),
        ([arm(1, 1.02, 0.05), arm(3, 1.5)], "use", 3),
        ([], "inconclusive", None),
    ],
)
def test_the_largest_sure_gain_wins_and_of_equal_ones_the_smaller_k(
    arms: list[Scored], answer: str, k: int | None
) -> None:
    chosen = choose(arms)
    assert (chosen.answer, chosen.k) == (answer, k)


def test_the_reason_says_that_a_larger_gain_was_passed_over() -> None:
    assert "k=5 is 1.62x, but the intervals overlap, so the smaller k" in choose([arm(3, 1.60), arm(5, 1.62)]).reason


def test_methods_are_compared_by_their_gain() -> None:
    chosen = choose([arm(3, 1.6), arm(3, 1.2, method="mtp")])
    assert (chosen.method, chosen.k) == ("dspark", 3)


def test_an_arm_without_a_figure_is_undecided_unless_it_is_ruled_out() -> None:
    blank = {"e2e": None, "lo": None, "hi": None, "verdict": "inconclusive"}
    slow = {"e2e": 0.8, "lo": 0.79, "hi": 0.81, "verdict": "slower"}
    assert choose(scored("dspark", {"k3": slow, "k5": blank})).answer == "inconclusive"
    assert choose(scored("dspark", {"k3": slow, "k9": {**blank, "possible": False}})).answer == "off"


def over(**workloads: list[Scored]) -> Choice:
    return combine({name: choose(arms) for name, arms in workloads.items()}, workloads)


def test_workloads_that_agree_decide_together() -> None:
    assert over(chat=[arm(3, 1.6), arm(5, 1.4)], long=[arm(3, 1.5), arm(5, 1.3)]).k == 3


def test_workloads_that_differ_get_the_setting_that_is_faster_in_all_and_gains_most_where_it_gains_least() -> None:
    chosen = over(code=[arm(3, 1.4), arm(7, 1.9)], prose=[arm(3, 1.3), arm(7, 1.1)])
    assert (chosen.answer, chosen.k) == ("use", 3)
    assert "faster in every workload" in chosen.reason


def test_workloads_that_have_nothing_in_common_decide_nothing() -> None:
    assert over(code=[arm(3, 1.4)], prose=[arm(3, 0.8)]).answer == "inconclusive"


def test_one_undecided_workload_leaves_all_undecided() -> None:
    assert over(code=[arm(3, 1.4)], prose=[arm(3, 1.02, 0.1)]).answer == "inconclusive"
