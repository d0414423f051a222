"""From sweeps to a choice, from a choice to lines of the inventory, and how it is told."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from edgeops.bench.choice import Choice
from edgeops.bench.launches import Sweep, Unserved
from edgeops.bench.sweep import sweep_results
from edgeops.deployment import Reach
from edgeops.inventory import Host
from edgeops.report import tune as report
from edgeops.settings import Settings
from edgeops.tune import Applied, HostTuning, apply, document, exit_code
from edgeops.tune.outcome import decide
from tests.unit.bench.test_sweep import launch

BEYOND = Unserved("dspark", 9, "k is 9, and this draft proposes 1 to 8 tokens", ("chat",), possible=False)


def host(**settings: object) -> Host:
    return Host("spark-01", "192.0.2.11", settings=Settings.model_validate(settings))


def tuned(**rates: float) -> HostTuning:
    """A host on which k = N was measured at the given rates, beside 70 tokens a second; k = 9 is ruled out."""
    parts = tuple(launch(int(arm[1:]), rate) for arm, rate in rates.items())
    mine = HostTuning(host(), sweep_results(Sweep("spark-01", "here", parts, (BEYOND,))), "production serves again")
    decide(mine)
    return mine


def shown(mine: HostTuning) -> str:
    console = Console(file=io.StringIO(), width=100, highlight=False)
    report.show(console, document("run", [mine], "fleet.yml"))
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_the_best_k_is_chosen_and_one_that_is_ruled_out_is_not_waited_for() -> None:
    mine = tuned(k1=100.0, k3=120.0, k5=90.0)
    assert (mine.choice.answer, mine.choice.k, mine.changes) == ("use", 3, {})
    assert tuned(k1=120.0, k3=100.0).changes == {"k": 1}
    assert tuned(k1=60.0, k3=50.0).changes == {"method": "off"}


@pytest.mark.parametrize(
    ("settings", "choice", "changes"),
    [
        ({}, Choice("use", "", "dspark", 5), {"k": 5}),
        ({}, Choice("use", "", "mtp", 3), {"method": "mtp"}),
        ({"draft_model": "/srv/draft"}, Choice("use", "", "mtp", 2), {"method": "mtp", "draft_model": None, "k": 2}),
        ({"method": "off"}, Choice("use", "", "dspark", 3), {"method": "dspark"}),
        ({"method": "off"}, Choice("off", "", "off", 0), {}),
        ({"k": 5}, Choice("inconclusive", ""), {}),
    ],
)
def test_only_what_differs_is_written(settings: dict[str, Any], choice: Choice, changes: dict[str, object]) -> None:
    assert HostTuning(host(**settings), choice=choice).changes == changes


def test_the_document_has_what_a_script_needs() -> None:
    (one,) = document("run", [tuned(k1=120.0, k3=100.0)], "fleet.yml")["hosts"]
    assert one["now"] == {"method": "dspark", "k": 3}
    assert (one["choice"]["answer"], one["choice"]["method"], one["choice"]["k"]) == ("use", "dspark", 1)
    assert one["write"] == {"file": "fleet.yml", "host": "spark-01", "lines": ["k: 1"]}
    assert [entry["name"] for entry in one["by_workload"]] == ["chat"]


def test_off_and_inconclusive_are_answers_and_an_error_is_none() -> None:
    assert exit_code([tuned(k1=60.0, k3=50.0), HostTuning(host())]) == 0
    assert exit_code([HostTuning(host(), error={"message": "lost", "remedy": ""})]) == 1


def test_a_reader_sees_what_runs_what_is_best_and_what_to_write() -> None:
    text = shown(tuned(k1=120.0, k3=100.0))
    assert "dspark k=3  (runs)" in text
    assert "ruled out" in text
    assert "dspark k=9: ruled out: k is 9, and this draft proposes 1 to 8 tokens" in text
    assert "Choice: dspark with k=1" in text
    assert "Write: `k: 1` below spark-01, in fleet.yml" in text
    assert max(map(len, text.splitlines()[:12])) <= 100


def test_without_a_decision_the_reader_is_told_to_keep_what_runs() -> None:
    text = shown(HostTuning(host(), state="production was not touched"))
    assert "Choice: inconclusive: keep what runs" in text
    assert "Write: nothing" in text


def unreached(*_: Any) -> None:
    raise AssertionError("nothing is deployed here")


def test_a_host_without_an_inventory_and_a_program_are_not_written_to_and_it_is_said(tmp_path: Path) -> None:
    mine = tuned(k1=120.0, k3=100.0)
    apply([mine], Applied(None, Reach(), unreached))
    assert mine.applied == "not written: the host was named without an inventory"
    program = tmp_path / "fleet.py"
    program.write_text("hosts = ['spark-01']\n")
    apply([mine], Applied(program, Reach(), unreached))
    assert "is a program" in (mine.applied or "")
    assert program.read_text() == "hosts = ['spark-01']\n"


def test_no_decision_writes_nothing(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet.yml"
    fleet.write_text("all:\n  hosts:\n    spark-01: {k: 3}\n")
    mine = HostTuning(host())
    apply([mine], Applied(fleet, Reach(), unreached))
    assert mine.applied == "nothing is written: no decision"
    assert fleet.read_text() == "all:\n  hosts:\n    spark-01: {k: 3}\n"
