"""A smoke is compared with the last accepted one that did the same work, and held to gates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edgeops import history
from edgeops.bench import gates
from tests.unit.bench.arms import benchmark, known
from tests.unit.history.kept import STEADY, keep

FIRST, SECOND, THIRD = (f"20261130-1{hour}0000-smoke-00aa" for hour in range(3))
GOOD = benchmark({"baseline": 70.0, "k3": 115.0}, STEADY)
SLOW = benchmark({"baseline": 70.0, "k3": 100.0}, STEADY)


def test_the_first_smoke_has_nothing_to_be_compared_with(tmp_path: Path) -> None:
    _, entry = keep(tmp_path, FIRST, GOOD)
    assert "regression" not in entry
    assert "gates" not in entry


def test_the_next_smoke_says_what_became_of_each_arm(tmp_path: Path) -> None:
    keep(tmp_path, FIRST, GOOD)
    _, entry = keep(tmp_path, SECOND, SLOW)
    found = entry["regression"]
    assert (found["against"], found["same_fingerprints"], found["verdict"]) == (FIRST, True, "slower")
    arms = found["workloads"][0]["arms"]
    assert (arms["baseline"]["verdict"], arms["k3"]["verdict"]) == ("unchanged", "slower")
    assert arms["k3"]["ratio"] == pytest.approx(100 / 115)
    assert arms["k3"]["hi"] < 0.95


def test_a_smoke_that_was_gated_out_is_not_the_next_ones_measure(tmp_path: Path) -> None:
    keep(tmp_path, FIRST, GOOD)
    _, gated = keep(tmp_path, SECOND, SLOW, "e2e>=0.95*last")
    assert [gate["ok"] for gate in gated["gates"]] == [False]
    _, entry = keep(tmp_path, THIRD, SLOW)
    assert entry["regression"]["against"] == FIRST


def test_a_smoke_whose_guards_failed_is_not_the_next_ones_measure(tmp_path: Path) -> None:
    keep(tmp_path, FIRST, GOOD)
    keep(tmp_path, SECOND, (*GOOD, known("k3", "It is 5.", "4")))
    _, entry = keep(tmp_path, THIRD, GOOD)
    assert entry["regression"]["against"] == FIRST


def test_the_same_fingerprints_go_before_the_latest(tmp_path: Path) -> None:
    keep(tmp_path, FIRST, GOOD)
    keep(tmp_path, SECOND, GOOD, version="0.12.0")
    _, entry = keep(tmp_path, THIRD, GOOD)
    assert (entry["regression"]["against"], entry["regression"]["differs"]) == (FIRST, [])


def test_other_fingerprints_are_compared_for_want_of_the_same_and_named(tmp_path: Path) -> None:
    keep(tmp_path, FIRST, GOOD, version="0.11.0")
    _, entry = keep(tmp_path, SECOND, SLOW)
    assert entry["regression"]["same_fingerprints"] is False
    assert entry["regression"]["differs"] == ["version: 0.11.0 before, 0.11.1 now"]


def test_other_work_is_never_compared(tmp_path: Path) -> None:
    keep(tmp_path, FIRST, GOOD, fingerprint={"max_tokens": 64})
    _, entry = keep(tmp_path, SECOND, GOOD, "e2e>=0.95*last", fingerprint={"max_tokens": 128})
    assert "regression" not in entry
    assert "no accepted smoke of this host" in entry["gates"][0]["detail"]


def test_records_of_the_last_that_are_gone_are_as_if_they_never_were(tmp_path: Path) -> None:
    run, _ = keep(tmp_path, FIRST, GOOD)
    (run.directory / "records-spark-01.jsonl").write_text("cut off")
    _, entry = keep(tmp_path, SECOND, GOOD)
    assert "regression" not in entry


def test_gates_are_sentences_with_numbers_and_the_host_in_front(tmp_path: Path) -> None:
    keep(tmp_path, FIRST, GOOD)
    _, entry = keep(tmp_path, SECOND, SLOW, "e2e>=0.95*last", "speedup.k3>=1.1", "known_answers")
    (sentence,) = history.failed_gates([entry])
    assert sentence.startswith("spark-01: gate e2e>=0.95*last failed: the end-to-end rate of k3 in chat is 100.0 tok/s")
    assert "(0.95 times the last, 115.0 tok/s, paired by prompt)" in sentence


def test_a_host_that_was_not_measured_fails_its_gates(tmp_path: Path) -> None:
    run, _ = keep(tmp_path, FIRST, GOOD)
    entry = {"host": "b", "error": {"message": "x"}, "workloads": [], "guards": [], "records": None}
    assert history.failed_gates([history.judged(entry, run, ())]) == []
    judged = history.judged(entry, run, gates.parse_all(["e2e>=1"]))
    assert len(history.failed_gates([judged])) == 1
    json.dumps(judged)


def test_a_gate_on_the_last_does_not_keep_the_first_from_becoming_it(tmp_path: Path) -> None:
    _, first = keep(tmp_path, FIRST, GOOD, "e2e>=0.95*last")
    _, second = keep(tmp_path, SECOND, GOOD, "e2e>=0.95*last")
    assert [first["gates"][0]["ok"], second["gates"][0]["ok"]] == [False, True]


def test_workloads_that_only_one_of_both_has_are_left_out(tmp_path: Path) -> None:
    keep(tmp_path, FIRST, GOOD, fingerprint={"workload_sha256": {"chat": "a"}})
    both = {"workload_sha256": {"chat": "a", "1k": "b"}}
    _, entry = keep(tmp_path, SECOND, GOOD, workloads=("chat", "1k"), fingerprint=both)
    assert [workload["name"] for workload in entry["regression"]["workloads"]] == ["chat"]
    assert entry["regression"]["same_fingerprints"] is True
