"""``edgeops runs`` and ``edgeops report`` as they are called, on runs that lie on the disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from edgeops.cli import main
from tests.unit.bench.arms import benchmark
from tests.unit.history.kept import STEADY, change_result, keep

FIRST, SECOND = "20261130-100000-smoke-00aa", "20261130-110000-smoke-00bb"
GOOD = benchmark({"baseline": 70.0, "k3": 115.0}, STEADY)


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / ".edgeops" / "runs"


def edgeops(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def test_runs_are_listed_for_people_and_for_scripts(runs: Path) -> None:
    keep(runs, FIRST, GOOD, simulated=True)
    keep(runs, SECOND, GOOD)
    text = edgeops("runs")
    assert text.exit_code == 0
    assert text.stdout.index(SECOND) < text.stdout.index(FIRST)
    assert text.stdout.count("SIMULATED") == 1
    document = json.loads(edgeops("runs", "--json", "-n", "1").stdout)
    assert document["schema"] == "edgeops.runs/1"
    assert [(run["name"], run["hosts"][0]["accepted"]) for run in document["runs"]] == [(SECOND, True)]
    assert json.loads(edgeops("runs", "--json", "--host", "other").stdout)["runs"] == []


def test_no_runs_is_no_error() -> None:
    assert (edgeops("runs").exit_code, edgeops("runs").stdout) == (0, "")
    assert json.loads(edgeops("runs", "--json").stdout)["runs"] == []


def test_a_report_is_text_or_json_or_a_page(runs: Path, tmp_path: Path) -> None:
    _, entry = keep(runs, FIRST, GOOD)
    text = edgeops("report", "last")
    assert text.exit_code == 0
    assert "Gain: k3 is 1.64x the baseline" in text.stdout
    document = json.loads(edgeops("report", "20261130-10", "--json", "--html", "r.html").stdout)
    assert (document["schema"], document["hosts"], document["differences"]) == ("edgeops.smoke/1", [entry], [])
    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")


def test_a_difference_is_exit_1_and_said(runs: Path) -> None:
    run, _ = keep(runs, FIRST, GOOD)
    change_result(run, "hosts", 0, "verdict", value="slower")
    done = edgeops("report", "last")
    assert done.exit_code == 1
    assert 'differs: spark-01: verdict: stored is "slower", the records give "faster"' in done.stderr
    assert "Verdict: faster" in done.stdout
    assert json.loads(edgeops("report", "last", "--json").stdout)["differences"]


@pytest.mark.parametrize("words", [["report", "last"], ["report", "nonsense"], ["report", "/nowhere"]])
def test_no_such_run_is_exit_2(words: list[str]) -> None:
    done = edgeops(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "Error: no run" in done.stderr


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (("gates",), [{"ok": True}]),
        (("regression",), {"against": "20261130-090000-smoke-00aa", "workloads": 3}),
        (("host",), "another"),
        (("guards",), {}),
    ],
)
@pytest.mark.parametrize("how", [[], ["--json"], ["--html", "r.html"]])
def test_a_result_of_another_shape_is_a_sentence(runs: Path, keys, value, how: list[str]) -> None:
    run, _ = keep(runs, FIRST, GOOD)
    change_result(run, "hosts", 0, *keys, value=value)
    done = edgeops("report", "last", *how)
    assert done.exit_code in (0, 1)
    assert done.exception is None or isinstance(done.exception, SystemExit)


def test_a_page_that_cannot_be_written_is_a_sentence(runs: Path) -> None:
    keep(runs, FIRST, GOOD)
    done = edgeops("report", "last", "--html", "nowhere/r.html")
    assert done.exit_code == 1
    assert "nowhere/r.html cannot be written" in done.stderr
