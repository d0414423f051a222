"""A past run is computed again from its records, and a stored figure that differs is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edgeops.errors import EdgeopsError
from edgeops.history import read_run
from tests.unit.bench.arms import benchmark
from tests.unit.history.kept import STEADY, change_result, keep

FIRST, SECOND = "20261130-100000-smoke-00aa", "20261130-110000-smoke-00aa"
GOOD = benchmark({"baseline": 70.0, "k3": 115.0}, STEADY)
SLOW = benchmark({"baseline": 70.0, "k3": 100.0}, STEADY)


def test_an_untouched_run_agrees_with_its_records(tmp_path: Path) -> None:
    keep(tmp_path, FIRST, GOOD)
    run, entry = keep(tmp_path, SECOND, SLOW, "e2e>=0.95*last", "known_answers")
    past = read_run(run.directory)
    assert (past.kind, past.differences, past.notes) == ("smoke", (), ())
    assert past.document["hosts"] == [entry]


@pytest.mark.parametrize(
    ("keys", "value", "told"),
    [
        (("verdict",), "slower", 'spark-01: verdict: stored is "slower", the records give "faster"'),
        (("workloads", 0, "speedup", "k3", "e2e"), 2.0, "workloads chat speedup k3 e2e: stored is 2.0"),
        (("workloads", 0, "arms", "k3", "ttft_ms", "p50"), 99.9, "arms k3 ttft_ms p50: stored is 99.9"),
        (("workloads", 0, "arms", "k3", "requests"), 7, "arms k3 requests: stored is 7"),
        (("workloads", 0, "arms", "k9"), {"requests": 1}, "arms k9"),
        (("guards", 1, "ok"), False, "guards idle ok: stored is false, the records give true"),
        (("simulated",), True, "simulated: stored is true"),
        (("regression", "workloads", 0, "arms", "k3", "ratio"), 1.0, "regression workloads chat arms k3 ratio"),
        (("gates", 0, "ok"), True, "gates e2e>=0.95*last ok"),
        (("guards",), "none", "guards: stored is"),
        (("workloads", 0, "arms", "k3", "ttft_ms", "p50"), True, "stored is true"),
    ],
)
def test_a_stored_figure_that_differs_is_told_and_the_records_win(tmp_path: Path, keys, value, told: str) -> None:
    keep(tmp_path, FIRST, GOOD)
    run, entry = keep(tmp_path, SECOND, SLOW, "e2e>=0.95*last")
    change_result(run, "hosts", 0, *keys, value=value)
    past = read_run(run.directory)
    assert any(told in line for line in past.differences), past.differences
    assert past.document["hosts"] == [entry]


def test_records_that_were_changed_no_longer_give_the_stored_figures(tmp_path: Path) -> None:
    run, _ = keep(tmp_path, FIRST, GOOD)
    path = run.directory / "records-spark-01.jsonl"
    path.write_text(path.read_text().replace('"completion_tokens": 128', '"completion_tokens": 127', 1))
    assert any("e2e_tok_s" in line for line in read_run(run.directory).differences)


def test_a_damaged_line_is_named_and_missing_records_confirm_nothing(tmp_path: Path) -> None:
    run, _ = keep(tmp_path, FIRST, GOOD)
    path = run.directory / "records-spark-01.jsonl"
    path.write_text(path.read_text() + '{"kind": "request", "ste')
    past = read_run(run.directory)
    assert past.differences == ()
    assert "records-spark-01.jsonl: line 16 was left out" in past.notes[0]
    path.unlink()
    assert "its records are missing" in read_run(run.directory).differences[0]


@pytest.mark.parametrize("text", [None, "{", "[]", '{"hosts": 3}', '{"hosts": [1]}'])
def test_without_a_stored_result_the_records_speak_alone(tmp_path: Path, text: str | None) -> None:
    run, entry = keep(tmp_path, FIRST, GOOD)
    (run.directory / "smoke.json").unlink()
    if text is not None:
        (run.directory / "smoke.json").write_text(text)
    past = read_run(run.directory)
    assert past.document["hosts"] == [entry]
    assert past.differences == ()
    assert "there is no stored result: everything is computed from the records" in past.notes


def test_an_earlier_run_that_is_gone_is_said_and_changes_nothing(tmp_path: Path) -> None:
    first, _ = keep(tmp_path, FIRST, GOOD)
    run, entry = keep(tmp_path, SECOND, SLOW, "e2e>=0.95*last")
    (first.directory / "records-spark-01.jsonl").unlink()
    past = read_run(run.directory)
    assert "is gone" in past.notes[0]
    assert past.document["hosts"][0]["regression"] == entry["regression"]
    assert past.differences == ()


def test_a_deploy_has_the_figures_of_its_smoke_computed_again(tmp_path: Path) -> None:
    run, entry = keep(tmp_path, "20261130-100000-deploy-00aa", GOOD)
    (run.directory / "smoke.json").unlink()
    phases = [{"name": "probe", "status": "done", "seconds": 1.0, "detail": ""}]
    host = {"host": "spark-01", "outcome": "deployed", "phases": phases, "smoke": {**entry, "verdict": "slower"}}
    run.write("deploy.json", {"schema": "edgeops.deploy/1", "ok": True, "hosts": [host, {"host": "b", "smoke": None}]})
    past = read_run(run.directory)
    assert past.kind == "deploy"
    assert len(past.differences) == 1
    assert past.document["hosts"][0] == {**host, "smoke": entry}
    assert past.document["hosts"][1] == {"host": "b", "smoke": None}


def test_a_host_that_was_never_measured_needs_no_records(tmp_path: Path) -> None:
    run, entry = keep(tmp_path, FIRST, GOOD)
    path = run.directory / "smoke.json"
    document = json.loads(path.read_text())
    document["hosts"].append({"host": "b", "error": {"message": "x"}, "workloads": [], "records": None})
    path.write_text(json.dumps(document))
    past = read_run(run.directory)
    assert past.differences == ()
    assert past.document["hosts"][0] == entry


def test_a_directory_with_nothing_in_it_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(EdgeopsError, match="nothing can be read"):
        read_run(tmp_path)


def test_a_run_can_be_read_from_a_directory_of_any_name(tmp_path: Path) -> None:
    run, entry = keep(tmp_path, FIRST, GOOD)
    moved = run.directory.rename(tmp_path / "from a colleague")
    assert read_run(moved).document["hosts"] == [entry]
