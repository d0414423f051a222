"""Through the waves with pretended hosts (no SSH): what is begun, what is asked, what a stop leaves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from edgeops.bench import records as record_lines
from edgeops.bench.records import Records, Survey
from edgeops.deployment import Batch, Options, Reach
from edgeops.deployment.context import RolledBack, StartFailed
from edgeops.deployment.report import HostReport, Outcome, Trouble, exit_code
from edgeops.errors import LockedError
from edgeops.inventory import Host
from edgeops.rollout import acting, canary, proceed, running, stopping, take_up
from edgeops.rollout.beginning import begin
from edgeops.rollout.journal import reopen
from edgeops.rollout.rules import Audience, Rollout, Rules
from edgeops.rollout.waves import Canary, Share
from tests.unit.bench.arms import benchmark, records_of

HOSTS = [Host(name, "192.0.2.1") for name in ("a", "b", "c")]
ONE_BY_ONE = Rules(batches=(Share(1),))


@dataclass
class Heard:
    """What an operator would have seen; ``answers`` are given to questions in turn."""

    answers: list[bool] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)

    def agrees(self, question: str) -> bool:
        self.questions.append(question)
        return self.answers.pop(0)

    @property
    def audience(self) -> Audience:
        return Audience(lambda _host, _phase: None, self.sentences.append, self.agrees)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """The hosts of each wave that was begun. Every pretended host is deployed but those in ``bad``."""
    monkeypatch.chdir(tmp_path)
    waves: list[list[str]] = []

    def pretended(hosts: Sequence[Host], _act: Any, batch: Batch, _reach: Any, _tell: Any, wave: int = 1) -> None:
        waves.append([host.name for host in hosts])
        for host in hosts:
            batch.reports[host.name] = HostReport(host.name, outcome=outcome_of(host), wave=wave)
            if not batch.reports[host.name].ok:
                batch.reports[host.name].error = Trouble("ready", "it died")
            batch.ended(batch.reports[host.name])

    monkeypatch.setattr(running, "on_hosts", pretended)
    monkeypatch.setattr(running, "reserved", lambda *_: nullcontext({}))
    return waves


def outcome_of(host: Host) -> Outcome:
    return "rolled_back" if host.groups == ("bad",) else "deployed"


def rollout_of(rules: Rules) -> Rollout:
    return begin(HOSTS, "all", rules, Options("never"), Reach())


def outcomes(rollout: Rollout) -> dict[str, str]:
    return {host["host"]: host["outcome"] for host in rollout.result()["hosts"]}


def test_every_wave_is_asked_about_but_the_first_and_a_no_ends_it(begun: list[list[str]]) -> None:
    rules, heard = Rules(batches=(Share(1),), approve=True), Heard([True, False])
    rollout = rollout_of(rules)
    proceed(rollout, HOSTS, rules, Reach(), heard.audience)
    assert begun == [["a"], ["b"]]
    assert heard.questions == ["Wave 1 of 3 is done. Go on?", "Wave 2 of 3 is done. Go on?"]
    assert outcomes(rollout) == {"a": "deployed", "b": "deployed", "c": "skipped"}
    assert rollout.stopped == "not approved after wave 2"
    run = rollout.batch.run.name
    assert rollout.batch.reports["c"].error == Trouble(
        "rollout", "not begun: not approved after wave 2", f"Go on with `edgeops deploy --resume {run}`."
    )


def test_a_pause_is_said_and_an_interruption_of_it_leaves_a_result(begun, monkeypatch) -> None:
    rules, heard = Rules(batches=(Share(1),), pause_s=60), Heard()

    def interrupted(seconds: float) -> None:
        assert seconds == 60
        raise KeyboardInterrupt

    monkeypatch.setattr(running.time, "sleep", interrupted)
    rollout = rollout_of(rules)
    proceed(rollout, HOSTS, rules, Reach(), heard.audience)
    assert begun == [["a"]]
    assert heard.sentences[1:] == ["wave 1 of 3: a", "wave 1 of 3 is done; the next begins in 60 s"]
    assert rollout.batch.interrupted
    kept = json.loads((rollout.batch.run.directory / "deploy.json").read_text())
    assert [host["outcome"] for host in kept["hosts"]] == ["deployed", "skipped", "skipped"]


def test_what_ended_is_in_the_journal_while_its_wave_goes_on_and_is_not_begun_again(begun) -> None:
    rollout = rollout_of(ONE_BY_ONE)
    rollout.batch.ended(HostReport("a", outcome="deployed"))
    rollout.batch.ended(HostReport("b", outcome="failed"))
    run, plan, ended = reopen(rollout.batch.run.name)
    resumed = take_up(run, plan, ended, HOSTS, Options("never"))
    proceed(resumed, HOSTS, ONE_BY_ONE, Reach(), Heard().audience)
    assert begun == [["b"], ["c"]]
    assert outcomes(resumed) == {"a": "deployed", "b": "deployed", "c": "deployed"}


def test_a_journal_that_cannot_be_written_stops_before_the_next_host(begun, tmp_path) -> None:
    rollout = rollout_of(ONE_BY_ONE)
    rollout.journal.extra = tmp_path  # a directory
    proceed(rollout, HOSTS, ONE_BY_ONE, Reach(), Heard().audience)
    assert begun == []
    assert set(outcomes(rollout).values()) == {"skipped"}
    assert "cannot be written: Is a directory" in rollout.stopped


def test_where_one_host_is_locked_by_another_none_is_begun_and_the_holder_is_named(begun, monkeypatch) -> None:
    taken = {"b": LockedError("locked by ada@desk (pid 7) for rollout")}
    monkeypatch.setattr(running, "reserved", lambda *_: nullcontext(taken))
    rollout = rollout_of(ONE_BY_ONE)
    proceed(rollout, HOSTS, ONE_BY_ONE, Reach(), Heard().audience)
    assert begun == []
    assert rollout.stopped == "b: locked by ada@desk (pid 7) for rollout"
    assert set(outcomes(rollout).values()) == {"skipped"}
    assert exit_code(rollout.batch.hosts) == 5


def test_a_single_wave_is_not_locked_as_a_whole(begun, monkeypatch) -> None:
    monkeypatch.setattr(running, "reserved", lambda *_: nullcontext({"a": LockedError("locked")}))
    proceed(rollout_of(Rules()), HOSTS, Rules(), Reach(), Heard().audience)
    assert begun == [["a", "b", "c"]]


def test_a_bad_canary_stops_before_the_others(begun, monkeypatch) -> None:
    monkeypatch.setattr(running, "put_back", lambda *_: None)
    rules = Rules(canary=Canary(names=("b",)))
    hosts = [HOSTS[0], Host("b", "192.0.2.1", groups=("bad",)), HOSTS[2]]
    rollout = begin(hosts, "all", rules, Options("never"), Reach())
    proceed(rollout, hosts, rules, Reach(), Heard().audience)
    assert begun == [["b"]]
    assert rollout.stopped == "the canary failed: b: it died"


def test_who_is_put_back_is_in_the_journal_at_once_and_only_what_this_run_deployed_goes(begun, monkeypatch) -> None:
    asked: list[tuple[str, str | None]] = []

    def pretended(hosts: Sequence[Host], act: Any, batch: Batch, *_: Any) -> None:
        for host in hosts:
            batch.reports[host.name] = HostReport(host.name)
            act(SimpleNamespace(report=batch.reports[host.name]))
            batch.ended(batch.reports[host.name])
            raise KeyboardInterrupt  # the control machine is gone before the next

    def back(work: Any, _to: None, only: str | None) -> None:
        asked.append((work.report.host, only))
        work.report.outcome = "unchanged"  # it is back already

    monkeypatch.setattr(stopping, "on_hosts", pretended)
    monkeypatch.setattr(stopping, "roll_back_host", back)
    rollout = rollout_of(Rules(canary=Canary(names=("a", "b"))))
    rollout.stopped = "the canary failed"
    for name in ("a", "b"):
        rollout.batch.reports[name] = HostReport(name, outcome="deployed", deployment=f"new-{name}")
    with pytest.raises(KeyboardInterrupt):
        stopping.put_back(rollout, HOSTS[:2], Reach(), lambda *_: None)
    assert asked == [("a", "new-a")]
    assert reopen(rollout.batch.run.name)[2]["a"].outcome == "rolled_back"


def test_a_host_that_was_not_put_back_says_that_it_has_what_was_rejected(begun, monkeypatch) -> None:
    def interrupted(_hosts: Sequence[Host], _act: Any, batch: Batch, *_: Any) -> None:
        batch.interrupted = True
        batch.reports["a"] = HostReport("a", error=Trouble("ready", "interrupted"))
        batch.ended(batch.reports["a"])

    monkeypatch.setattr(stopping, "on_hosts", interrupted)
    rollout = rollout_of(Rules(canary=Canary(names=("a",))))
    rollout.stopped, rollout.batch.reports["a"] = "the canary failed", HostReport("a", outcome="deployed")
    stopping.put_back(rollout, HOSTS[:1], Reach(), lambda *_: None)
    error = rollout.batch.reports["a"].error
    assert error is not None
    assert "was not put back: it has what was rejected (interrupted)" in error.message
    assert rollout.batch.run.name in error.remedy
    assert rollout.batch.interrupted


def test_a_host_that_was_interrupted_while_it_was_measured_is_measured_when_the_run_goes_on(begun, monkeypatch) -> None:
    rollout = begin(HOSTS, "all", ONE_BY_ONE, Options("changed"), Reach())
    cut = HostReport("a", outcome="deployed", changes=["restart trtedge"], error=Trouble("smoke", "interrupted"))
    rollout.batch.ended(cut)
    run, plan, ended = reopen(rollout.batch.run.name)
    resumed = take_up(run, plan, ended, HOSTS, Options("changed"))
    assert resumed.batch.options.unmeasured == {"a"}
    assert resumed.batch.reports == {}

    def unchanged(work: Any) -> None:
        work.report.outcome = "unchanged"

    monkeypatch.setattr(acting, "deploy_host", unchanged)
    work: Any = SimpleNamespace(report=HostReport("a"))
    acting.deploying(resumed)(work)
    assert (work.report.outcome, work.report.changes) == ("deployed", ["restart trtedge"])

    def slower(_work: Any) -> None:
        raise StartFailed("k3 is 0.70x")

    monkeypatch.setattr(acting, "deploy_host", slower)
    monkeypatch.setattr(acting, "roll_back_host", lambda *_, **__: None)
    with pytest.raises(RolledBack, match=r"k3 is 0\.70x"):
        acting.deploying(resumed)(work)


def measured(tmp_path: Path, host: str, k3: float, board: str = "NVIDIA_DGX_Spark") -> HostReport:
    survey = Survey(machine={"board": board, "gpu": "NVIDIA GB10"})
    made = records_of(benchmark({"baseline": 70.0, "k3": k3}), host=host)
    lines: list[record_lines.Line] = [made.header, survey, *made.requests] if made.header else []
    path = tmp_path / f"records-{host}.jsonl"
    path.write_text("".join(line.model_dump_json(exclude_defaults=False) + "\n" for line in lines))
    return HostReport(host, outcome="deployed", smoke={"records": str(path)})


@dataclass
class Measured:
    """As much of a host's work as the gate looks at."""

    report: HostReport


def test_later_hosts_are_held_against_the_canary_of_an_earlier_part_of_the_run(tmp_path) -> None:
    gate = canary.gate_of(["a"], [measured(tmp_path, "a", 115.0), measured(tmp_path, "x", 300.0)])
    gate(Measured(measured(tmp_path, "b", 112.0)))  # type: ignore[arg-type]
    gate(Measured(measured(tmp_path, "o", 60.0, board="Orin")))  # type: ignore[arg-type]
    gate(Measured(HostReport("n")))  # type: ignore[arg-type]
    with pytest.raises(StartFailed, match=r"k3 is 0\.70x the canary a of the same hardware"):
        gate(Measured(measured(tmp_path, "c", 80.5)))  # type: ignore[arg-type]


def test_a_host_that_did_not_say_what_it_is_has_no_kind() -> None:
    assert canary.hardware(Records()) == canary.hardware(Records(survey=Survey())) == ""
