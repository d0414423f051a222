"""A measured service that must not stay is told with its numbers."""

from __future__ import annotations

from typing import Any

import pytest

from edgeops.bench.regression import Change
from edgeops.bench.statistics import Interval, Speedup
from edgeops.deployment.context import StartFailed
from edgeops.deployment.gating import refusal
from edgeops.rollout.canary import refuse_slower

ARM = {"ttft_ms": {"p50": 98.0}}


def measured(**changed: Any) -> dict[str, Any]:
    good = {
        "workloads": [{"name": "chat", "arms": {"baseline": ARM, "k3": ARM}, "speedup": {}}],
        "guards": [{"id": "known_answers", "ok": True, "detail": "2 of 2"}],
        "verdict": "faster",
    }
    return good | changed


def against_last(ratio: float, lo: float | None, hi: float | None) -> dict[str, Any]:
    change = {"ratio": ratio, "lo": lo, "hi": hi, "prompts": 6, "verdict": "slower", "reason": ""}
    return {"against": "run-1", "verdict": "slower", "workloads": [{"name": "chat", "arms": {"k3": change}}]}


def test_a_good_service_stays() -> None:
    assert refusal(measured()) is None


def test_a_service_that_is_surely_slower_than_it_was_goes_with_the_numbers() -> None:
    reason = refusal(measured(regression=against_last(0.70, 0.68, 0.72)))
    assert reason is not None
    assert "0.70x" in reason
    assert "run-1" in reason


@pytest.mark.parametrize(("lo", "hi"), [(0.90, 0.96), (0.97, 1.02), (None, None)])
def test_noise_between_two_measurements_is_no_reason(lo: float | None, hi: float | None) -> None:
    assert refusal(measured(regression=against_last(0.94, lo, hi))) is None


def test_nonsense_goes_however_quick_it_is() -> None:
    wrong = [{"id": "known_answers", "ok": False, "detail": "0 of 2 right"}]
    assert "0 of 2 right" in str(refusal(measured(guards=wrong)))


def test_a_validity_guard_that_fails_is_no_harm() -> None:
    assert refusal(measured(guards=[{"id": "idle", "ok": False, "detail": "busy"}])) is None


def test_a_gate_that_was_asked_for_counts() -> None:
    gates = [{"gate": "speedup.k3>=1.1", "ok": False, "detail": "1.02 is less"}]
    assert "speedup.k3>=1.1" in str(refusal(measured(gates=gates)))


def test_an_arm_whose_requests_all_failed_goes() -> None:
    broken = [{"name": "chat", "arms": {"baseline": ARM, "k3": {"ttft_ms": None}}, "speedup": {}}]
    assert refusal(measured(workloads=broken)) == "every request of an arm failed"


def change(lo: float, hi: float) -> Change:
    interval = Interval(lo, hi)
    return Change("chat", "k3", Speedup((lo + hi) / 2, 6, interval, interval), "slower", "")


def test_a_host_that_is_surely_slower_than_its_canary_is_refused() -> None:
    with pytest.raises(StartFailed, match="canary spark-01"):
        refuse_slower("spark-01", [change(0.68, 0.72)])


def test_two_boxes_of_one_kind_may_differ_by_some_percent() -> None:
    refuse_slower("spark-01", [change(0.88, 0.95)])
