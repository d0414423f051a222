"""A smoke against an earlier one: the same paired statistics, and what may be compared at all."""

from __future__ import annotations

from typing import Any

import pytest

from edgeops.bench import regression
from edgeops.bench.records import Records
from edgeops.bench.regression import Change
from tests.unit.bench.arms import PROMPTS, answer, benchmark, failed, header, records_of

SAME = (1.0,) * 6


def smoke(k3: float, wobble: Any = SAME, **changes: Any) -> Records:
    return records_of(benchmark({"baseline": 70.0, "k3": k3}, wobble), **changes)


def change(new: Records, old: Records, arm: str = "k3") -> Change:
    return next(one for one in regression.compare(new, old) if one.arm == arm)


@pytest.mark.parametrize(
    ("rate", "wobble", "word"),
    [
        (115.0, SAME, "unchanged"),
        (115.0, (1.0, 1.01, 0.99, 1.01, 0.99, 1.0), "unchanged"),
        (100.0, (1.0, 1.01, 0.99, 1.02, 0.98, 1.0), "slower"),
        (130.0, (1.0, 1.01, 0.99, 1.02, 0.98, 1.0), "faster"),
        (112.0, (1.0, 1.2, 0.8, 1.1, 0.9, 1.0), "inconclusive"),
    ],
)
def test_the_verdict_rests_on_the_interval(rate: float, wobble: Any, word: str) -> None:
    assert change(smoke(rate, wobble), smoke(115.0)).word == word


def test_the_ratio_is_paired_by_prompt_and_new_over_old() -> None:
    document = change(smoke(103.5), smoke(115.0)).document()
    assert document["ratio"] == pytest.approx(0.9)
    assert (document["prompts"], document["verdict"]) == (6, "slower")
    assert document["lo"] == pytest.approx(0.9)


def test_prompts_of_one_run_alone_count_for_nothing() -> None:
    old = records_of([r for r in benchmark({"baseline": 70.0, "k3": 115.0}, SAME) if r.step.prompt != "a"])
    new = records_of((*benchmark({"baseline": 70.0, "k3": 115.0}, SAME), failed("k3", "b"), answer("k3", "z", 10.0)))
    assert change(new, old).document()["ratio"] == pytest.approx(1.0)
    assert change(new, old).document()["prompts"] == len(PROMPTS) - 1


def test_blocks_of_a_prompt_are_averaged_whatever_their_number() -> None:
    old = records_of([answer("k3", p, rate) for p in "ab" for rate in (100.0, 121.0)])
    new = records_of([answer("k3", p, 110.0) for p in "ab"])
    assert change(new, old).document()["ratio"] == pytest.approx(1.0)


def test_nothing_in_common_is_inconclusive() -> None:
    found = change(smoke(115.0), records_of([failed("k3", prompt) for prompt in PROMPTS]))
    assert (found.gain, found.word) == (None, "inconclusive")
    assert found.document()["ratio"] is None


def test_another_k_is_compared_as_what_users_get() -> None:
    old = records_of(benchmark({"baseline": 70.0, "k5": 100.0}, SAME), arms=("baseline", "k5"), k=5)
    assert change(smoke(115.0), old).document()["ratio"] == pytest.approx(1.15)
    assert [one.arm for one in regression.compare(smoke(115.0), old)] == ["baseline", "k3"]


def test_speculation_is_held_against_the_plain_decoding_before_it_and_not_the_other_way_round() -> None:
    plain = records_of(benchmark({"baseline": 70.0}, SAME), arms=("baseline",), k=0, method="none")
    assert change(smoke(63.0), plain).document()["ratio"] == pytest.approx(0.9)
    assert [one.arm for one in regression.compare(plain, smoke(115.0))] == ["baseline"]


def test_only_the_same_work_is_compared() -> None:
    work = {"workload_sha256": {"chat": "a"}, "max_tokens": 128}
    first = header(fingerprint=work)
    assert regression.is_same_work(header(fingerprint={**work, "kernel": "6.9"}), first)
    for other in (
        header(fingerprint={**work, "max_tokens": 64}),
        header(fingerprint={**work, "workload_sha256": {"chat": "b"}}),
        header(fingerprint={**work, "workload_sha256": {}}),
        header(fingerprint={**work, "workload_sha256": "a"}),
        header(fingerprint=work, workloads=("1k",)),
        header(fingerprint=work, host="spark-02"),
        header(fingerprint=work, simulated=True),
    ):
        assert not regression.is_same_work(other, first)


def test_what_else_differs_is_named() -> None:
    old = header(version="0.11.0", fingerprint={"kernel": "6.8", "repeat": 1})
    new = header(version="0.11.1", fingerprint={"kernel": "6.8", "repeat": 3})
    assert regression.differences(new, old) == ("version: 0.11.0 before, 0.11.1 now",)
    assert regression.differences(old, old) == ()


def test_one_slower_arm_makes_the_whole_slower() -> None:
    changes = regression.compare(smoke(100.0), smoke(115.0))
    assert [one.word for one in changes] == ["unchanged", "slower"]
    assert regression.overall(changes) == "slower"
    assert regression.overall(regression.compare(smoke(115.0), smoke(115.0))) == "unchanged"
