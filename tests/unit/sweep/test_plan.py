"""Which launches a sweep takes."""

from __future__ import annotations

import pytest

from edgeops.settings import Settings
from edgeops.sweep.plan import Plan

SPARK = Settings()
PLAIN = Settings(method="off")


def names(plan: Plan, settings: Settings = SPARK) -> list[str]:
    return [arm.name for arm in plan.arms(settings)]


def test_what_runs_comes_first_and_the_others_after_it() -> None:
    assert names(Plan(ks=(0, 5, 1, 3))) == ["dspark-k3", "dspark-k1", "dspark-k5"]


def test_a_vanilla_engine_stands_before_and_after() -> None:
    assert names(Plan(ks=(3,), vanilla=True)) == ["vanilla-before", "dspark-k3", "vanilla-after"]


def test_methods_are_tried_with_every_k() -> None:
    plan = Plan(ks=(3, 5), methods=("mtp", "dspark"))
    assert names(plan) == ["dspark-k3", "mtp-k3", "mtp-k5", "dspark-k5"]


def test_a_host_without_speculation_is_tried_with_the_usual_method() -> None:
    assert names(Plan(ks=(0, 3)), PLAIN) == ["dspark-k3"]


@pytest.mark.parametrize(
    ("plan", "settings", "needed"),
    [
        (Plan(), SPARK, False),
        (Plan(ks=(0, 3)), SPARK, False),
        (Plan(ks=(0,)), SPARK, False),
        (Plan(ks=(5,)), SPARK, True),
        (Plan(ks=(3,), methods=("dspark",)), SPARK, False),
        (Plan(ks=(3,), methods=("mtp",)), SPARK, True),
        (Plan(vanilla=True), SPARK, True),
        (Plan(), PLAIN, False),
        (Plan(ks=(0,)), PLAIN, False),
        (Plan(ks=(3,)), PLAIN, True),
        (Plan(guarded=True), SPARK, True),
    ],
)
def test_the_service_is_restarted_only_for_what_does_not_run(plan: Plan, settings: Settings, needed: bool) -> None:
    assert plan.needs_restarts(settings) is needed


def test_each_launch_is_measured_for_its_own_k_and_method() -> None:
    plan = Plan(ks=(5,), methods=("mtp",))
    options = plan.options_for(plan.arms(SPARK)[0])
    assert (options.k, options.method) == ((5,), "mtp")
