"""When ``edgeops prepare`` asks, when it acts, and what it prints where."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from click.testing import CliRunner, Result

from edgeops import preparation
from edgeops.cli import main
from edgeops.preparation import Preparation
from edgeops.preparation.flow import HostPlan
from edgeops.preparation.mending import Mending
from edgeops.preparation.report import HostReport, Trouble
from edgeops.preparation.source import Missing


@dataclass
class Stage:
    """Hosts as a survey would have found them; ``done`` are those that something was done on."""

    plans: dict[str, HostPlan]
    done: list[str] = field(default_factory=list)
    terminal: bool = False

    def survey(self, hosts: Any, reach: Any) -> Preparation:
        return Preparation(self.plans)

    def carry_out(self, hosts: Any, found: Preparation, reach: Any) -> None:
        for name in found.pending:
            self.done.append(name)
            found.plans[name].report.outcome = "prepared"


def host(name: str, *changes: str, error: Trouble | None = None, missing: Missing | None = None) -> HostPlan:
    outcome = "refused" if error else "unchanged"
    report = HostReport(name, "dgx-spark", changes=list(changes), outcome=outcome, error=error)
    return HostPlan(report, Mending(packages=changes), missing)


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    stage = Stage({"a": host("a", "install x 1"), "b": host("b")})
    monkeypatch.setattr(preparation, "survey", stage.survey)
    monkeypatch.setattr(preparation, "carry_out", stage.carry_out)
    monkeypatch.setattr("edgeops.cli.prepare._on_a_terminal", lambda: stage.terminal)
    return stage


def prepare(*words: str, answer: str = "") -> Result:
    return CliRunner().invoke(main, ["prepare", "nvidia@192.0.2.1", *words], input=answer)


@pytest.mark.parametrize(("answer", "code", "done"), [("y\n", 0, ["a"]), ("n\n", 1, []), ("\n", 1, []), ("", 1, [])])
def test_on_a_terminal_it_shows_the_plan_asks_and_takes_nothing_for_a_yes(
    stage: Stage, answer: str, code: int, done: list[str]
) -> None:
    stage.terminal = True
    result = prepare(answer=answer)
    assert (result.exit_code, stage.done) == (code, done)
    assert result.stderr.index("would install x 1") < result.stderr.index("Do this on 1 host?")


def test_without_a_terminal_it_shows_the_plan_and_does_nothing(stage: Stage) -> None:
    result = prepare()
    assert (result.exit_code, stage.done, result.stdout) == (2, [], "")
    assert "would install x 1" in result.stderr


def test_yes_shows_the_plan_and_does_it(stage: Stage) -> None:
    result = prepare("--yes", "--json")
    assert (result.exit_code, stage.done) == (0, ["a"])
    assert "would install x 1" in result.stderr
    outcomes = {one["host"]: one["outcome"] for one in json.loads(result.stdout)["hosts"]}
    assert outcomes == {"a": "prepared", "b": "unchanged"}


def test_a_dry_run_asks_nobody_and_does_nothing(stage: Stage) -> None:
    stage.terminal = True
    result = prepare("--dry-run")
    assert (result.exit_code, stage.done) == (0, [])
    assert "would install x 1" in result.stdout
    assert "nothing to do" in result.stdout


def test_where_there_is_nothing_to_do_nobody_is_asked(stage: Stage) -> None:
    del stage.plans["a"]
    stage.terminal = True
    result = prepare()
    assert (result.exit_code, stage.done) == (0, [])
    assert "Do this" not in result.stderr


def test_a_refused_host_does_not_keep_the_others_from_being_prepared(stage: Stage) -> None:
    stage.plans["c"] = host("c", error=Trouble("plan", "on hold", "apt-mark unhold"))
    result = prepare("--yes")
    assert (result.exit_code, stage.done) == (3, ["a"])
    assert "Cause: on hold" in result.stdout
    assert "Remedy: apt-mark unhold" in result.stdout


def test_a_dry_run_refuses_what_the_package_lists_do_not_have(stage: Stage) -> None:
    stage.plans["a"] = host("a", "refresh", missing=Missing(("libnvinfer10=9",), ("10.2",)))
    result = prepare("--dry-run", "--json")
    (refused, _) = json.loads(result.stdout)["hosts"]
    assert (result.exit_code, refused["outcome"], refused["changes"]) == (3, "refused", [])
    assert "by the package lists as they are" in refused["error"]["message"]
    assert "apt-get update" in refused["error"]["remedy"]


def test_a_name_that_would_steer_the_terminal_does_not(stage: Stage) -> None:
    stage.plans["a"] = host("a", "install \x1b[2Jx")
    assert "\x1b" not in prepare("--dry-run").stdout
