"""Nothing but what was shown is done."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from edgeops.deployment.phases import PhaseLog
from edgeops.errors import EdgeopsError, RequirementError
from edgeops.preparation import flow
from edgeops.preparation.apt import Simulation, Step
from edgeops.preparation.flow import HostPlan, carry_out
from edgeops.preparation.mending import Mending
from edgeops.preparation.report import HostReport
from edgeops.preparation.source import Missing

WANTED = Mending(packages=("a=1",), holds=("a",), ids=("tensorrt.python",))
SHOWN = ["install a 1", "put the 1 packages of TensorRT on hold"]


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A host on which apt would do ``steps``; ``installed`` counts installations."""
    host = SimpleNamespace(steps=[Step("a", "", "1")], missing=None, trouble=None, installed=0)

    def install(session: Any, mended: Mending) -> None:
        host.installed += 1

    monkeypatch.setattr(flow, "ask_sources", lambda _, mended: (mended, host.missing))
    monkeypatch.setattr(flow, "simulate", lambda _, mended: Simulation(tuple(host.steps), ()))
    monkeypatch.setattr(flow, "refresh", lambda _: host.trouble)
    monkeypatch.setattr(flow, "install", install)
    monkeypatch.setattr(flow, "_look_again", lambda *_: None)
    return host


def carried_out(plan: HostPlan) -> HostPlan:
    carry_out(None, plan, PhaseLog("a", lambda *_: None, plan.report.phases))  # type: ignore[arg-type]
    return plan


def test_what_was_shown_is_done(host: Any) -> None:
    carried_out(HostPlan(HostReport("a", changes=list(SHOWN)), WANTED))
    assert host.installed == 1


def test_what_would_be_more_than_was_shown_is_not_done(host: Any) -> None:
    host.steps.append(Step("b", "", "2"))
    with pytest.raises(RequirementError, match="something else now"):
        carried_out(HostPlan(HostReport("a", changes=list(SHOWN)), WANTED))
    assert host.installed == 0


def test_after_refreshing_the_lists_the_result_says_what_was_really_done(host: Any) -> None:
    plan = carried_out(HostPlan(HostReport("a", changes=["…"]), WANTED, Missing(("a=1",), ())))
    assert plan.report.changes == ["refresh the package lists", *SHOWN]
    assert [phase.name for phase in plan.report.phases] == ["refresh", "inspect", "install", "check"]


def test_a_source_that_is_down_matters_only_where_something_is_missing(host: Any) -> None:
    host.trouble = EdgeopsError("no way to the source", "look at the network")
    carried_out(HostPlan(HostReport("a", changes=["…"]), WANTED, Missing(("a=1",), ())))
    assert host.installed == 1
    host.missing = Missing(("a=1",), ())
    with pytest.raises(RequirementError) as refused:
        carried_out(HostPlan(HostReport("a", changes=["…"]), WANTED, Missing(("a=1",), ())))
    assert "no way to the source" in refused.value.message
    assert refused.value.remedy == "look at the network"
    assert host.installed == 1
