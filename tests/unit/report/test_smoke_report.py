"""What a person reads after a benchmark."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from edgeops.bench.result import host_result
from edgeops.report import measured, smoke
from tests.unit.bench.arms import benchmark, failed, known, records_of
from tests.unit.bench.traces import request as trace


def printed(*hosts: dict[str, Any], terminal: bool = False) -> str:
    console = Console(file=io.StringIO(), width=80, highlight=False, force_terminal=terminal)
    smoke.show(console, {"schema": "edgeops.smoke/1", "run": "r", "hosts": list(hosts)})
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_the_arms_stand_side_by_side_with_gain_and_verdict() -> None:
    text = printed(host_result(records_of(benchmark())))
    heading = next(line for line in text.splitlines() if "baseline" in line and "k3" in line)
    assert heading.index("baseline") < heading.index("k3")
    assert "Gain: k3 is 1.64x the baseline, end to end; 95 % sure between 1.62x and 1.67x" in text
    assert "Verdict: faster (keep speculative decoding on)" in text
    assert "the same server, asked to decode without drafts" in text


def of_fleet(count: int) -> dict[str, Any]:
    speeds = {"baseline": 70.0, "k3": 115.0}
    made = [host_result(records_of(benchmark(speeds), host=f"spark-{number:02}")) for number in range(1, count)]
    bad = host_result(records_of((*benchmark(speeds), known("k3", "It is 5.", "4")), host=f"spark-{count:02}"))
    return {"schema": "edgeops.smoke/1", "run": "r", "hosts": [*made, bad]}


def test_many_hosts_are_one_table_and_what_is_wrong_with_one_stands_below() -> None:
    console = Console(file=io.StringIO(), width=80, highlight=False)
    measured.show(console, of_fleet(12))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    rows = [line for line in lines if line.startswith("spark-") and "k3" in line.split()]
    assert len(rows) == 12
    assert "1.64x (1.62 to 1.67)" in rows[0]
    assert rows[0].split()[-1] == "faster"
    assert [line.split()[0] for line in lines if "guard known_answers failed" in line] == ["spark-12"]


def test_a_few_hosts_are_shown_with_everything() -> None:
    console = Console(file=io.StringIO(), width=120, highlight=False)
    measured.show(console, of_fleet(measured.FEW))
    assert console.file.getvalue().count("Gain: k3 is") == measured.FEW  # type: ignore[attr-defined]


def test_the_way_to_the_host_is_told_where_it_was_in_the_times() -> None:
    assert "Measured from" not in printed(host_result(records_of(benchmark())))
    text = printed(host_result(records_of(benchmark(), round_trip_ms=7.46)))
    assert "Measured from: this machine; 7.5 ms there and back are in all times" in text


def test_a_bound_is_called_a_bound_and_a_figure_is_not() -> None:
    counted = tuple(
        trace(name, counting=True).model_copy(
            update={"step": trace(name).step.model_copy(update={"arm": arm, "phase": phase})}
        )
        for name in ("plain",)
        for arm in ("baseline", "k3")
        for phase in ("timed", "counting")
    )
    assert "(upper bound)" in printed(host_result(records_of(benchmark())))
    assert "(upper bound)" not in printed(host_result(records_of(counted)))


def test_simulated_is_in_plain_sight_only_where_it_is_true() -> None:
    assert "SIMULATED" in printed(host_result(records_of(benchmark(), simulated=True)))
    assert "SIMULATED" not in printed(host_result(records_of(benchmark())))


def test_failed_requests_and_guards_are_named() -> None:
    text = printed(host_result(records_of((*benchmark(), failed("k3", "x"), known("k3", "It is 5.", "4")))))
    assert "1 of 7: http_429 1" in " ".join(text.split())
    assert "Guard failed: failures:" in text
    assert "Guard failed: known_answers: wrong answers: sum" in text


def test_an_arm_without_a_figure_shows_none() -> None:
    requests = tuple(failed(arm, prompt) for arm in ("baseline", "k3") for prompt in "ab")
    text = printed(host_result(records_of(requests)))
    assert "not known: no prompt was answered in both arms" in text
    assert "–" in text
    assert "Verdict: inconclusive" in text


def test_one_arm_says_why() -> None:
    requests = tuple(request for request in benchmark() if request.step.arm == "baseline")
    text = printed(host_result(records_of(requests, arms=("baseline",), one_arm_because="one arm only: it is plain")))
    assert "Verdict: inconclusive: one arm only: it is plain" in text
    assert "Gain" not in text


def test_a_host_that_was_not_measured_has_cause_and_remedy() -> None:
    error = {"message": "spark-01: nothing answers", "remedy": "Deploy it."}
    entry = {"host": "spark-01", "simulated": False, "server": None, "workloads": [], "guards": [], "error": error}
    text = printed({**entry, "verdict": "inconclusive", "records": None}, host_result(records_of(benchmark())))
    assert "Not measured: spark-01: nothing answers" in text
    assert "Remedy: Deploy it." in text
    assert "Verdict: faster" in text


@pytest.mark.parametrize("terminal", [True, False])
def test_what_a_server_says_cannot_drive_a_terminal(terminal: bool) -> None:
    evil = "m\x1b]0;owned\x07\x1b[2J[bold]x[/bold]\nVerdict: faster\u202e"
    text = printed(host_result(records_of(benchmark(), model=evil, version=evil)), terminal=terminal)
    assert "\x1b]" not in text
    assert "\x1b[2J" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    assert "[bold]x[/bold]" in text
    assert ("\x1b[" in text) is terminal
