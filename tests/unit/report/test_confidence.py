"""An interval is told as sure as it is."""

from __future__ import annotations

from edgeops.report.confidence import percent
from edgeops.report.page.gain import gain
from tests.unit.bench.test_sweep import launch, result


def test_one_k_is_told_at_95_percent_and_several_at_99() -> None:
    assert percent({}) == "95 %"
    several = result(launch(3, 115.0), launch(5, 110.0))["workloads"]
    drawing = gain(several, {})
    assert drawing is not None
    assert "99 % sure between" in drawing.says
    assert "95 %" not in drawing.says + drawing.note
