"""Runs of several control machines as one: who counts, what is refused, where it comes from."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from edgeops.cli import main
from edgeops.deployment.report import HostReport, Outcome, Trouble, document

ONE, TWO = "20261130-100000-deploy-00aa", "20261130-110000-deploy-00bb"


@dataclass
class Shard:
    """A run on the disk, as a deploy leaves it: hosts end in the given minutes after ten."""

    directory: Path
    run: str
    events: list[dict[str, Any]] = field(default_factory=list)
    reports: list[HostReport] = field(default_factory=list)

    def host(self, name: str, outcome: Outcome, began: int, ended: int) -> Shard:
        error = None if outcome in ("deployed", "unchanged") else Trouble("verify", f"{name} said no")
        report = HostReport(name, "dgx-spark", outcome=outcome, release="0.11.1-00000000", error=error)
        self.began(name, began)
        at = f"2026-11-30T10:{ended:02}:00+00:00"
        self.events.append({"at": at, "event": "host", "host": name, "wave": 1, "report": asdict(report)})
        self.reports.append(report)
        return self

    def began(self, name: str, minute: int) -> Shard:
        at = f"2026-11-30T10:{minute:02}:00+00:00"
        phase = {"name": "probe", "status": "running", "seconds": 0.0, "detail": ""}
        self.events.append({"at": at, "event": "phase", "host": name, "wave": 1, **phase})
        return self

    def write(self, *also: str, finished: bool = True) -> str:
        self.directory.mkdir(parents=True)
        names = list(dict.fromkeys([*(report.host for report in self.reports), *also]))
        (self.directory / "rollout.json").write_text(json.dumps({"waves": [names]}))
        (self.directory / "journal.jsonl").write_text("".join(json.dumps(event) + "\n" for event in self.events))
        if finished:
            (self.directory / "deploy.json").write_text(json.dumps(document(self.run, self.reports)))
        return str(self.directory)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def merged(*sources: str) -> Result:
    return CliRunner().invoke(main, ["--json", "runs", "merge", *sources])


def outcomes(result: Result) -> dict[str, tuple[str, str]]:
    return {host["host"]: (host["outcome"], host["from_run"]) for host in json.loads(result.stdout)["hosts"]}


def test_hosts_of_all_runs_are_in_one_and_each_says_which_run_it_comes_from(here: Path) -> None:
    one = Shard(here / "a", ONE).host("spark-01", "deployed", 1, 5).write()
    two = Shard(here / "b", TWO).host("spark-02", "unchanged", 1, 2).write()
    result = merged(one, two)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["ok"] is True
    assert outcomes(result) == {"spark-01": ("deployed", ONE), "spark-02": ("unchanged", TWO)}


def test_the_exit_code_is_that_of_one_deploy_over_all(here: Path) -> None:
    one = Shard(here / "a", ONE).host("spark-01", "deployed", 1, 5).write()
    two = Shard(here / "b", TWO).host("spark-02", "rolled_back", 1, 5).write()
    result = merged(one, two)
    assert result.exit_code == 4
    assert json.loads(result.stdout)["ok"] is False


def test_a_host_that_two_runs_changed_at_the_same_time_is_refused(here: Path) -> None:
    one = Shard(here / "a", ONE).host("spark-01", "deployed", 1, 5).write()
    two = Shard(here / "b", TWO).host("spark-01", "failed", 4, 8).write()
    result = merged(one, two)
    assert result.exit_code == 2
    assert f"spark-01 was changed by {ONE} and by {TWO} at the same time" in result.stderr
    assert not (here / ".edgeops").exists()


def test_one_after_the_other_the_later_counts_in_whatever_order_they_are_given(here: Path) -> None:
    one = Shard(here / "a", ONE).host("spark-01", "failed", 1, 5).write()
    two = Shard(here / "b", TWO).host("spark-01", "deployed", 6, 8).write()
    assert outcomes(merged(one, two)) == outcomes(merged(two, one)) == {"spark-01": ("deployed", TWO)}


def test_who_only_looked_does_not_contradict_and_does_not_count_against_who_changed(here: Path) -> None:
    one = Shard(here / "a", ONE).host("spark-01", "deployed", 1, 5).write()
    two = Shard(here / "b", TWO).host("spark-01", "skipped", 2, 9).write()
    assert outcomes(merged(one, two)) == {"spark-01": ("deployed", ONE)}


def test_a_host_of_a_run_that_was_cut_off_is_failed_with_what_to_do(here: Path) -> None:
    shard = Shard(here / ONE, ONE).host("spark-01", "deployed", 1, 5).began("spark-02", 2)
    result = merged(shard.write("spark-02", "spark-03", finished=False))
    entries = {host["host"]: host for host in json.loads(result.stdout)["hosts"]}
    assert {name: entry["outcome"] for name, entry in entries.items()} == {
        "spark-01": "deployed",
        "spark-02": "failed",
        "spark-03": "skipped",
    }
    assert f"--resume {ONE}" in entries["spark-02"]["error"]["remedy"]
    assert result.exit_code == 1


def test_the_same_run_given_twice_counts_once_and_two_of_one_name_that_differ_are_refused(here: Path) -> None:
    one = Shard(here / "a", ONE).host("spark-01", "deployed", 1, 5).write()
    other = Shard(here / "b", ONE).host("spark-02", "deployed", 1, 5).write()
    assert merged(one, one).exit_code == 0
    result = merged(one, other)
    assert result.exit_code == 2
    assert "differ" in result.stderr


def test_the_joined_run_keeps_what_it_was_made_of_and_is_listed_as_a_run(here: Path) -> None:
    one = Shard(here / "a", ONE).host("spark-01", "deployed", 1, 5).write()
    two = Shard(here / "b", TWO).host("spark-01", "failed", 6, 8).write()
    name = json.loads(merged(one, two).stdout)["run"]
    directory = here / ".edgeops" / "runs" / name
    sources = json.loads((directory / "merged.json").read_text())["sources"]
    assert [(source["run"], source["hosts"][0]["counts"]) for source in sources] == [(ONE, False), (TWO, True)]
    assert (directory / "sources" / ONE / "journal.jsonl").read_text() == (here / "a" / "journal.jsonl").read_text()
    listed = json.loads(CliRunner().invoke(main, ["runs", "--json"]).stdout)["runs"]
    assert [(run["name"], run["outcome"]) for run in listed] == [(name, "failed")]


def test_a_joined_run_has_no_journal_and_says_so(here: Path) -> None:
    name = json.loads(merged(Shard(here / "a", ONE).host("spark-01", "deployed", 1, 5).write()).stdout)["run"]
    result = merged(name)
    assert result.exit_code == 2
    assert "journal.jsonl" in result.stderr


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("deploy.json", "{"),
        ("deploy.json", "[]"),
        ("deploy.json", json.dumps({"schema": "edgeops.deploy/1", "run": "../../x", "hosts": []})),
        ("deploy.json", json.dumps({"schema": "edgeops.smoke/1", "run": ONE, "hosts": []})),
        ("deploy.json", json.dumps({"schema": "edgeops.deploy/1", "run": ONE, "hosts": [{"host": 3}]})),
        ("rollout.json", json.dumps({"waves": 7})),
        ("journal.jsonl", json.dumps({"event": "phase", "host": "spark-01", "at": "yesterday"})),
        ("journal.jsonl", json.dumps({"event": "host", "host": "spark-01", "report": [], "at": "x"})),
    ],
)
def test_a_damaged_or_hostile_directory_is_a_sentence(here: Path, file: str, content: str) -> None:
    source = Shard(here / "a", ONE).host("spark-01", "deployed", 1, 5).write()
    (here / "a" / file).write_text(content)
    result = merged(source)
    assert result.exit_code == 2
    assert "holds no deploy that can be read" in result.stderr
    assert not (here / ".edgeops").exists()
