"""Gates: what they may say, where they go wrong, and the sentence with numbers when one fails."""

from __future__ import annotations

from typing import Any

import pytest

from edgeops.bench import gate_judgement, gates
from edgeops.bench.gate_judgement import Evidence, Outcome
from edgeops.bench.gates import Bound, Gate, GateSyntaxError
from edgeops.bench.result import host_result
from tests.unit.bench.arms import benchmark, failed, known, records_of

ENTRY = host_result(records_of(benchmark()))
"""Baseline 70 tok/s, k3 115 tok/s, TTFT 100 ms, speed-up 1.64."""


def one(text: str, entry: dict[str, Any] = ENTRY, **more: Any) -> Outcome:
    (outcome,) = gate_judgement.judge([gates.parse(text)], Evidence(entry, "k3", **more))
    return outcome


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ("speedup.k3>=1.1", Gate("speedup.k3>=1.1", "speedup", "k3", ">=", Bound(1.1))),
        ("e2e>=0.95*last", Gate("e2e>=0.95*last", "e2e", "", ">=", Bound(0.95, True))),
        ("e2e >= last * .95", Gate("e2e >= last * .95", "e2e", "", ">=", Bound(0.95, True))),
        ("ttft_p50 < last ?", Gate("ttft_p50 < last ?", "ttft_p50", "", "<", Bound(1.0, True), True)),
        (" decode.baseline>70", Gate(" decode.baseline>70", "decode", "baseline", ">", Bound(70.0))),
        ("known_answers", Gate("known_answers", "known_answers")),
        ("guards?", Gate("guards?", "guards", optional=True)),
    ],
)
def test_a_gate_is_read(text: str, gate: Gate) -> None:
    assert gates.parse(text) == gate


@pytest.mark.parametrize(
    ("text", "position", "word"),
    [
        ("", 0, "name of a figure"),
        ("   ", 0, "name of a figure"),
        ("speed>=1", 0, "'speed' is no figure"),
        ("e2e", 3, ">= <= > <"),
        ("e2e==1", 3, "'=' has no meaning"),
        ("e2e>=", 5, "a number or last"),
        ("e2e>=fast", 5, "not 'fast'"),
        ("e2e>=0.9*first", 9, "last is wanted here, not 'first'"),
        ("e2e>=0.9*", 9, "last is wanted here"),
        ("e2e>=last*", 10, "a number is wanted"),
        ("e2e>=0.9 last", 9, "nothing more"),
        ("e2e.k3.k5>=1", 6, "'.' has no meaning"),
        ("e2e.all>=1", 4, "'all' is no arm"),
        ("known_answers>=1", 13, "nothing is compared"),
        ("known_answers.k3", 13, "no arms"),
        ("e2e>=1??", 7, "nothing more"),
        ("e2e>=__import__('os')", 15, "'(' has no meaning"),
        ("e2e>=1;rm", 6, "';' has no meaning"),
        ("e2e>=-1", 5, "'-' has no meaning"),
        ("e2e>=1e9", 6, "nothing more"),
        ("e2e>=٣", 5, "has no meaning"),
        ("x" * 300, 200, "short"),
    ],
)
def test_a_slip_is_told_with_its_position(text: str, position: int, word: str) -> None:
    with pytest.raises(GateSyntaxError) as caught:
        gates.parse(text)
    assert caught.value.position == position
    assert word in str(caught.value)
    assert caught.value.drawn().splitlines()[-1] == "  " + " " * position + "^"


def test_a_slip_cannot_drive_a_terminal() -> None:
    with pytest.raises(GateSyntaxError) as caught:
        gates.parse("\x1b[2J")
    assert "\x1b" not in caught.value.drawn()


@pytest.mark.parametrize(
    ("text", "ok"),
    [
        ("speedup.k3>=1.1", True),
        ("speedup.k3>=1.7", False),
        ("speedup_lo>=1.03", True),
        ("e2e>=100", True),
        ("e2e.baseline>=100", False),
        ("ttft_p50<=100", True),
        ("ttft_p50<100", False),
        ("failed<=0", True),
        ("known_answers", True),
        ("guards", True),
    ],
)
def test_a_figure_is_held_against_its_bound(text: str, ok: bool) -> None:
    outcome = one(text)
    assert (outcome.ok, outcome.evaluated) == (ok, True)


def test_a_gate_that_fails_says_the_numbers() -> None:
    assert one("speedup.k3>=1.7").detail == "the speed-up of k3 in chat is 1.64x, wanted: at least 1.70x"
    detail = one("ttft_p50<=0.5*last", last=ENTRY, last_served="k3").detail
    assert detail.endswith("is 100.0 ms, wanted: at most 50.0 ms (0.5 times the last, 100.0 ms)")


def test_the_end_to_end_rate_is_held_against_the_last_by_its_paired_ratio() -> None:
    ratios = {("chat", "k3"): 0.9}
    assert one("e2e>=0.95*last", last=ENTRY, last_served="k3").ok
    outcome = one("e2e>=0.95*last", last=ENTRY, last_served="k3", ratios=ratios)
    assert not outcome.ok
    assert "paired by prompt" in outcome.detail
    assert one("e2e>=0.85*last", last=ENTRY, last_served="k3", ratios=ratios).ok


@pytest.mark.parametrize("text", ["e2e>=0.95*last", "speedup.k5>=1", "ttft_p90<=200", "e2e.k7>=0"])
def test_what_cannot_be_evaluated_fails_unless_it_may_pass(text: str) -> None:
    outcome, lenient = one(text), one(text + "?")
    assert (outcome.ok, outcome.evaluated) == (False, False)
    assert "cannot be evaluated" in outcome.detail
    assert (lenient.ok, lenient.evaluated) == (True, False)


def test_a_question_mark_excuses_nothing_that_can_be_evaluated() -> None:
    assert not one("speedup.k3>=1.7?").ok


def test_a_guard_that_failed_fails_its_gate_and_no_other() -> None:
    entry = host_result(records_of((*benchmark(), known("k3", "It is 5.", "4"))))
    assert not one("known_answers", entry).ok
    assert "wrong answers: sum" in one("guards", entry).detail
    assert one("repetition", entry).ok


def test_a_host_without_figures_passes_no_gate() -> None:
    nothing = host_result(records_of(tuple(failed(arm, p) for arm in ("baseline", "k3") for p in "ab")))
    assert not one("e2e>=0", nothing).ok
    assert not one("e2e>=0", {"workloads": [], "guards": []}).ok
    assert not one("guards", {"workloads": [], "guards": []}).ok


def test_with_several_workloads_a_gate_holds_in_each() -> None:
    slow = host_result(records_of(benchmark({"baseline": 70.0, "k3": 60.0})))
    both = {**ENTRY, "workloads": [*ENTRY["workloads"], {**slow["workloads"][0], "name": "1k"}]}
    assert not one("e2e>=100", both).ok
    assert "in 1k" in one("e2e>=100", both).detail
    assert one("e2e>=50", both).ok
