"""Past runs: found by what people call them, listed from an index that is never trusted over the files."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from edgeops.errors import ConfigurationError
from edgeops.runs import find_run, open_index
from edgeops.runs.index import FILE

OLD, NEW, DEPLOY = "20261130-120000-smoke-00aa", "20261130-130000-smoke-00bb", "20261130-140000-deploy-00cc"


def smoke(**changes: Any) -> dict[str, Any]:
    entry = {
        "host": "spark-01",
        "simulated": True,
        "workloads": [{"name": "chat"}],
        "guards": [{"id": "idle", "ok": True}, {"id": "clocks", "ok": None}],
        "verdict": "faster",
        "records": "somewhere/records-spark-01.jsonl",
    }
    return {**entry, **changes}


def keep(root: Path, name: str, *entries: Any) -> Path:
    directory = root / name
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"{name.split('-')[2]}.json").write_text(json.dumps({"hosts": list(entries)}))
    return directory


def names(root: Path) -> list[str]:
    with open_index(root) as index:
        return [run.name for run in index.runs()]


def accepted(root: Path, before: str = "3", host: str = "spark-01") -> list[str]:
    with open_index(root) as index:
        return [found.run for found in index.accepted(host, before)]


def test_runs_are_listed_with_the_newest_first(tmp_path: Path) -> None:
    keep(tmp_path, OLD, smoke())
    keep(tmp_path, DEPLOY, {"host": "a", "outcome": "deployed"}, {"host": "b", "outcome": "failed"})
    (tmp_path / NEW).mkdir()
    (tmp_path / "notes").mkdir()
    with open_index(tmp_path) as index:
        runs = index.runs()
    assert [(run.name, run.kind, run.outcome) for run in runs] == [
        (DEPLOY, "deploy", "1 deployed, 1 failed"),
        (NEW, "smoke", "unfinished"),
        (OLD, "smoke", "faster"),
    ]
    assert runs[0].at == "2026-11-30T14:00:00+00:00"
    assert [(host.host, host.simulated) for host in runs[2].hosts] == [("spark-01", True)]


@pytest.mark.parametrize("damage", ["missing", "garbage", "cut off", "another make", "a directory"])
def test_an_index_that_is_no_good_is_made_anew_from_the_files(tmp_path: Path, damage: str) -> None:
    keep(tmp_path, OLD, smoke())
    keep(tmp_path, NEW, smoke())
    assert names(tmp_path) == [NEW, OLD]
    path = tmp_path / FILE
    if damage == "garbage":
        path.write_bytes(b"not a database at all, by any means" * 400)
    elif damage == "cut off":
        path.write_bytes(path.read_bytes()[:5000])
    elif damage == "another make":
        with sqlite3.connect(path) as database:
            database.execute("PRAGMA user_version = 99")
    else:
        path.unlink()
        if damage == "a directory":
            path.mkdir()
    assert names(tmp_path) == [NEW, OLD]
    assert accepted(tmp_path) == [NEW, OLD]


def test_the_files_are_the_truth(tmp_path: Path) -> None:
    old = keep(tmp_path, OLD, smoke())
    assert accepted(tmp_path) == [OLD]
    keep(tmp_path, OLD, smoke(guards=[{"id": "idle", "ok": False}]), smoke(host="spark-02"))
    assert accepted(tmp_path) == []
    assert accepted(tmp_path, host="spark-02") == [OLD]
    (old / "smoke.json").unlink()
    old.rmdir()
    assert names(tmp_path) == []


def test_listing_runs_writes_nothing_where_there_are_none(tmp_path: Path) -> None:
    assert names(tmp_path / "runs") == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "entry",
    [
        smoke(guards=[{"id": "idle", "ok": False, "detail": ""}]),
        smoke(gates=[{"ok": False}]),
        smoke(error={"message": "nothing answers"}),
        smoke(workloads=[]),
        smoke(guards=[]),
        smoke(records=None),
    ],
)
def test_a_smoke_that_does_not_count_is_not_what_the_next_one_is_compared_with(tmp_path: Path, entry: Any) -> None:
    keep(tmp_path, OLD, smoke())
    keep(tmp_path, NEW, entry)
    assert accepted(tmp_path) == [OLD]


def test_a_smoke_inside_a_deploy_counts_and_a_later_run_does_not(tmp_path: Path) -> None:
    keep(tmp_path, OLD, smoke())
    keep(tmp_path, DEPLOY, {"host": "spark-01", "outcome": "deployed", "smoke": smoke()})
    with open_index(tmp_path) as index:
        found = list(index.accepted("spark-01", "9"))
        assert [one.run for one in index.accepted("spark-01", DEPLOY)] == [OLD]
    assert [one.records for one in found] == [
        tmp_path / DEPLOY / "records-spark-01.jsonl",
        tmp_path / OLD / "records-spark-01.jsonl",
    ]


@pytest.mark.parametrize(("outcome", "counts"), [("deployed", True), ("unchanged", True), ("rolled_back", False)])
def test_what_was_measured_and_then_put_back_is_no_accepted_speed(tmp_path: Path, outcome: str, counts: bool) -> None:
    keep(tmp_path, DEPLOY, {"host": "spark-01", "outcome": outcome, "smoke": smoke()})
    with open_index(tmp_path) as index:
        assert bool(list(index.accepted("spark-01", "20261130-150000-smoke-00dd"))) is counts


def test_records_named_outside_of_the_run_are_looked_for_inside(tmp_path: Path) -> None:
    keep(tmp_path, OLD, smoke(records="../../../etc/passwd"))
    with open_index(tmp_path) as index:
        assert [one.records for one in index.accepted("spark-01", "9")] == [tmp_path / OLD / "passwd"]


@pytest.mark.parametrize("text", ["{", "[]", '{"hosts": 3}', '{"hosts": [3, null, {"host": ["x"]}]}', "[" * 100_000])
def test_a_result_that_cannot_be_read_is_listed_all_the_same(tmp_path: Path, text: str) -> None:
    (tmp_path / OLD).mkdir()
    (tmp_path / OLD / "smoke.json").write_text(text)
    assert names(tmp_path) == [OLD]


@pytest.mark.parametrize(
    ("text", "found"),
    [("last", DEPLOY), (OLD, OLD), ("20261130-13", NEW), ("20261130-14", DEPLOY)],
)
def test_a_run_is_found_by_its_name_or_its_beginning(tmp_path: Path, text: str, found: str) -> None:
    for name in (OLD, NEW, DEPLOY):
        keep(tmp_path, name)
    assert find_run(text, tmp_path) == tmp_path / found
    assert find_run(str(tmp_path / found), tmp_path) == tmp_path / found


@pytest.mark.parametrize("text", ["2026", "nonsense", "", "99991130-120000-smoke-00aa"])
def test_no_run_or_several_is_a_sentence_that_lists_some(tmp_path: Path, text: str) -> None:
    for name in (OLD, NEW):
        keep(tmp_path, name)
    with pytest.raises(ConfigurationError, match=NEW):
        find_run(text, tmp_path)


def test_where_there_are_no_runs_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"There are none in"):
        find_run("last", tmp_path / "runs")
