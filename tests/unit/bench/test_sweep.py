"""Several launches made one result: pooled baseline, a speed-up for each k, and what did not come up."""

from __future__ import annotations

import math

import pytest

from edgeops.bench.launches import Sweep, Unserved
from edgeops.bench.records import Records
from edgeops.bench.result import host_result
from edgeops.bench.sweep import sweep_results
from tests.unit.bench.arms import benchmark, records_of

FAILED = Unserved("dspark", 5, "the server died", ("chat",))


def launch(k: int, rate: float, baseline: float = 70.0, **changes: object) -> Records:
    """One launch of a server with ``k``, at ``rate`` tokens a second beside ``baseline``."""
    requests = benchmark({"baseline": baseline, f"k{k}": rate})
    return records_of(requests, arms=("baseline", f"k{k}"), k=k, **changes)


def vanilla(rate: float) -> Records:
    return records_of(
        benchmark({"baseline": rate}), arms=("baseline",), k=0, method="none", baseline_kind="vanilla_engine"
    )


def result(*parts: Records, unserved: tuple[Unserved, ...] = ()) -> dict:
    (only,) = sweep_results(Sweep("spark-01", "here", parts, unserved))
    return only


def test_one_launch_gives_what_a_smoke_gives() -> None:
    part = launch(3, 115.0)
    ours, theirs = result(part), host_result(part)
    assert ours["workloads"][0]["arms"] == theirs["workloads"][0]["arms"]
    speedup = {key: ours["workloads"][0]["speedup"]["k3"][key] for key in ("e2e", "lo", "hi", "verdict", "reason")}
    assert speedup == theirs["workloads"][0]["speedup"]["k3"]
    assert ours["verdict"] == theirs["verdict"]


def test_each_k_is_compared_with_the_baseline_of_its_own_launch() -> None:
    """The machine is 20 % slower in the second launch: the ratios do not see it."""
    workload = result(launch(3, 115.0), launch(1, 96.0 * 0.8, baseline=70.0 * 0.8))["workloads"][0]
    assert list(workload["arms"]) == ["baseline", "k1", "k3"]
    assert workload["speedup"]["k1"]["e2e"] == pytest.approx(96 / 70, rel=0.01)
    assert workload["speedup"]["k3"]["e2e"] == pytest.approx(115 / 70, rel=0.01)
    assert workload["arms"]["baseline"]["requests"] == 12
    assert workload["choice"]["k"] == 3


def test_intervals_are_wider_where_several_are_compared() -> None:
    alone = result(launch(3, 115.0))["workloads"][0]["speedup"]["k3"]
    beside = result(launch(3, 115.0), launch(5, 110.0))["workloads"][0]["speedup"]["k3"]
    assert (alone["confidence"], beside["confidence"]) == (0.95, 0.99)
    ratio = math.log(beside["hi"] / beside["lo"]) / math.log(alone["hi"] / alone["lo"])
    assert ratio == pytest.approx(4.0321 / 2.5706, rel=1e-3)


def test_an_arm_that_did_not_come_up_is_reported_failed_and_the_others_stand() -> None:
    found = result(launch(3, 115.0), unserved=(FAILED,))
    workload = found["workloads"][0]
    assert workload["arms"]["k5"]["requests"] == 0
    assert workload["arms"]["k5"]["e2e_tok_s"] is None
    assert workload["speedup"]["k5"]["verdict"] == "inconclusive"
    assert "the server died" in workload["speedup"]["k5"]["reason"]
    assert workload["choice"]["k"] == 3
    assert next(guard for guard in found["guards"] if guard["id"] == "arms")["ok"] is False


def test_nothing_that_came_up_is_a_result_too() -> None:
    found = result(unserved=(FAILED,))
    assert (found["verdict"], found["server"]["speculative_method"]) == ("inconclusive", "dspark")


def test_a_slower_arm_and_one_that_did_not_come_up_decide_nothing_but_two_slower_ones_do() -> None:
    assert result(launch(3, 60.0), unserved=(FAILED,))["verdict"] == "inconclusive"
    assert result(launch(3, 60.0), launch(5, 50.0))["verdict"] == "slower"


def test_a_method_has_an_entry_of_its_own() -> None:
    mtp = [
        request.model_copy(update={"before": request.before.model_copy(update={"speculative_method": "mtp"})})
        for request in benchmark({"baseline": 70.0, "k3": 90.0})
    ]
    parts = (launch(3, 115.0), records_of(mtp, method="mtp", method_wanted="mtp"))
    entries = sweep_results(Sweep("spark-01", "here", parts))
    assert [entry["server"]["speculative_method"] for entry in entries] == ["dspark", "mtp"]
    assert [entry["verdict"] for entry in entries] == ["faster", "faster"]


def test_a_vanilla_baseline_replaces_the_one_beside_it() -> None:
    found = result(vanilla(80.0), launch(3, 115.0, baseline=70.0), vanilla(80.0))
    assert found["server"]["baseline_kind"] == "vanilla_engine"
    assert found["workloads"][0]["speedup"]["k3"]["e2e"] == pytest.approx(115 / 80, rel=0.01)
    assert found["workloads"][0]["arms"]["baseline"]["requests"] == 12


def test_a_steady_drift_between_the_vanilla_launches_cancels_and_a_large_one_decides_nothing() -> None:
    steady = result(vanilla(80.0), launch(3, 115.0), vanilla(79.0))
    assert steady["workloads"][0]["speedup"]["k3"]["e2e"] == pytest.approx(115 / math.sqrt(80 * 79), rel=0.01)
    moved = result(vanilla(80.0), launch(3, 115.0), vanilla(70.0))
    assert moved["verdict"] == "inconclusive"
    assert next(guard for guard in moved["guards"] if guard["id"] == "drift")["ok"] is False
