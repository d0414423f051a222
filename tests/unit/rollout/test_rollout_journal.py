"""What a rollout wrote down is what it is taken up from, whatever the moment at which it was cut off."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

import pytest

from edgeops.deployment.phases import Phase
from edgeops.deployment.report import HostReport, Trouble
from edgeops.errors import ConfigurationError, LockedError
from edgeops.inventory import Host
from edgeops.rollout.journal import Journal, Plan, alone, keep_plan, refuse_changed_settings, reopen, settings_digest
from edgeops.runs import Run
from edgeops.settings import Settings

HOSTS = [Host("a", "192.0.2.1"), Host("b", "192.0.2.2")]
OPTIONS = {
    "smoke": "never",
    "gates": [],
    "max_fail": {"value": 0, "percent": False},
    "on_stop": "rollback",
    "pause_s": 0.0,
}
PLAN = Plan("all", (("a",), ("b",)), True, OPTIONS, {host.name: settings_digest(host) for host in HOSTS})


@pytest.fixture
def run(tmp_path: Path) -> Run:
    run = Run("20261130-120000-deploy-abcd", tmp_path / "20261130-120000-deploy-abcd")
    keep_plan(run, PLAN)
    return run


def test_a_host_that_ended_comes_back_with_its_whole_report(run: Run) -> None:
    report = HostReport("a", outcome="rolled_back", error=Trouble("ready", "it died", "look", ("line 1", "line 2")))
    report.phases.append(Phase("probe", "done", 0.5, "x"))
    Journal(run).ended(report)
    assert reopen(run.name, run.directory.parent)[2] == {"a": report}


def test_the_plan_comes_back(run: Run) -> None:
    assert reopen(run.name, run.directory.parent)[1] == PLAN


def test_a_line_that_was_cut_off_is_passed_over(run: Run) -> None:
    journal = Journal(run)
    journal.ended(HostReport("a", outcome="deployed"))
    journal.ended(HostReport("b", outcome="deployed"))
    path = run.directory / "journal.jsonl"
    path.write_text(path.read_text()[:-40])
    assert set(reopen(run.name, run.directory.parent)[2]) == {"a"}


def test_every_line_is_on_disk_before_the_call_returns_and_in_the_second_file_too(run: Run, tmp_path: Path) -> None:
    extra = tmp_path / "events.jsonl"
    journal = Journal(run, extra, {"a": 1})
    journal.phase("a", Phase("switch", "running"))
    (line,) = extra.read_text().splitlines()
    assert line == (run.directory / "journal.jsonl").read_text().strip()
    assert json.loads(line)["name"] == "switch"


def test_chatter_is_not_kept(run: Run) -> None:
    Journal(run).phase("a", Phase("ready", "running", detail="the journal's last line"))
    assert not (run.directory / "journal.jsonl").exists()


def test_settings_that_moved_meanwhile_are_refused() -> None:
    refuse_changed_settings(PLAN, HOSTS)
    moved = [HOSTS[0], Host("b", "192.0.2.2", settings=Settings(k=5))]
    with pytest.raises(ConfigurationError, match="settings of b changed"):
        refuse_changed_settings(PLAN, moved)


def test_a_run_that_is_not_there_is_told_with_those_that_are(run: Run) -> None:
    with pytest.raises(ConfigurationError) as told:
        reopen("nope", run.directory.parent)
    assert run.name in told.value.remedy


def damaged(**changes: object) -> str:
    return json.dumps(asdict(PLAN) | changes)


DAMAGED = [
    *("", "[]", "{}", '{"waves": 3}'),
    damaged(options={}),
    damaged(options=OPTIONS | {"gates": ["x"]}),
    damaged(options=OPTIONS | {"gates": 5}),
    damaged(options=OPTIONS | {"pause_s": float("nan")}),
    damaged(settings=[]),
    damaged(waves=[]),
    damaged(waves=[["a"], ["z"]]),
]


@pytest.mark.parametrize("content", DAMAGED)
def test_a_plan_that_is_damaged_is_a_sentence(run: Run, content: str) -> None:
    (run.directory / "rollout.json").write_text(content)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        reopen(run.name, run.directory.parent)


def test_a_run_that_is_still_going_on_is_not_gone_on_with_beside_it(run: Run) -> None:
    with alone(run), pytest.raises(LockedError, match=rf"process {os.getpid()} .* still at work"), alone(run):
        pass
    with alone(run):
        assert (run.directory / "running").read_text() == f"{os.getpid()}\n"


def test_a_dry_run_leaves_no_journal(run: Run) -> None:
    Journal(run, silent=True).said("wave", wave=1)
    assert not (run.directory / "journal.jsonl").exists()
