"""The figures of one request, exact, on traces whose figures were worked out by hand."""

from __future__ import annotations

import pytest

from edgeops.bench import counting, failures, figures
from tests.unit.bench.traces import STEPS, TRACES, request

NAMES = (
    "first",
    "ttft",
    "ttfa",
    "n",
    "n1",
    "decode",
    "rate",
    "tpot",
    "bound",
    "e2e",
    "events",
    "per_event",
    "per_step",
)
TABLE = {
    "plain": (4, 200, 200, 8, 1, 140, 50.0, 20.0, 50.0, 23.529, 8, 1.0, 1.0),
    "speculative": (4, 200, 200, 16, 1, 150, 100.0, 10.0, 100.0, 45.714, 6, 2.667, 3.0),
    "bundled": (4, 230, 230, 16, 4, 120, 100.0, 10.0, 125.0, 45.714, 5, 3.2, 3.0),
    "withheld": (4, 200, 200, 14, 1, 150, 86.667, 11.538, 86.667, 40.0, 4, 3.5, 2.6),
    "thinking": (5, 240, 300, 17, 4, 120, 108.333, 9.231, 133.333, 47.222, 7, 2.429, 3.2),
    "end_token": (4, 200, 200, 9, 1, 140, 57.143, 17.5, 57.143, 26.471, 8, 1.125, 1.0),
    "one_event": (4, 250, 250, 6, 6, 0, None, None, None, 24.0, 1, 6.0, None),
    "long": (5, 250, 250, 129, 1, 1500, 85.333, 11.719, 85.333, 73.714, 49, 2.633, 2.56),
}
GAPS = {
    "plain": (20, 20),
    "speculative": (30, 30),
    "bundled": (30, 30),
    "withheld": (50, 60),
    "thinking": (20, 30),
    "end_token": (20, 20),
    "long": (31.25, 60),
}
FAILURES = {
    "error_mid": "error_event",
    "error_early": "error_event",
    "no_usage": "no_usage",
    "no_done": "no_done",
    "no_finish": "no_finish",
    "no_content": "no_content",
}


def _measured(name: str) -> dict[str, float | None]:
    timed, counted = request(name), request(name, counting=True)
    first = counting.first_tokens(counted)
    return {
        "first": figures.first_event_ms(timed),
        "ttft": figures.ttft_ms(timed),
        "ttfa": figures.ttfa_ms(timed),
        "n": figures.output_tokens(timed),
        "n1": first,
        "decode": figures.decode_ms(timed),
        "rate": figures.decode_tok_s(timed, first),
        "tpot": figures.tpot_ms(timed, first),
        "bound": figures.decode_tok_s(timed, None),
        "e2e": figures.e2e_tok_s(timed),
        "events": len(figures.content_events(timed)),
        "per_event": figures.tokens_per_event(timed),
        "per_step": counting.tokens_per_step([counted], k=3),
    }


def test_every_trace_is_either_a_figure_or_a_failure() -> None:
    assert len(TRACES) == 14
    assert set(TRACES) == set(TABLE) | set(FAILURES)


@pytest.mark.parametrize("name", TABLE)
def test_the_figures_of_a_trace_are_those_worked_out_by_hand(name: str) -> None:
    for figure, wanted in zip(NAMES, TABLE[name], strict=True):
        found = _measured(name)[figure]
        assert found == (None if wanted is None else pytest.approx(wanted, abs=5e-4)), figure


@pytest.mark.parametrize("name", GAPS)
def test_event_gaps_are_between_content_events_only(name: str) -> None:
    gaps = figures.event_gaps_ms(request(name))
    assert (sum(gaps) / len(gaps), max(gaps)) == pytest.approx(GAPS[name])


def test_a_trace_with_one_content_event_has_no_gaps() -> None:
    assert figures.event_gaps_ms(request("one_event")) == ()


@pytest.mark.parametrize("name", FAILURES)
def test_a_failed_trace_has_its_reason_and_no_figure(name: str) -> None:
    failed = request(name)
    assert failures.reason(failed) == FAILURES[name]
    assert figures.ttft_ms(failed) is None
    assert figures.output_tokens(failed) is None
    assert figures.decode_tok_s(failed, 1) is None
    assert figures.e2e_tok_s(failed) is None
    assert figures.tokens_per_event(failed) is None


@pytest.mark.parametrize("name", TABLE)
def test_a_good_trace_has_no_reason_to_fail(name: str) -> None:
    assert failures.reason(request(name)) is None


def test_the_long_trace_is_built_as_its_table_says() -> None:
    assert (len(STEPS), sum(STEPS), max(STEPS)) == (50, 128, 4)


def test_a_first_event_that_bundles_two_steps_does_not_raise_the_rate() -> None:
    assert _measured("bundled")["rate"] == _measured("speculative")["rate"]


def test_steps_above_k_plus_one_are_not_measurable() -> None:
    assert counting.tokens_per_step([request("speculative", counting=True)], k=2) is None
    assert counting.tokens_per_step([request("speculative", counting=True)], k=3) == 3.0


def test_entries_that_do_not_add_up_to_the_usage_tell_nothing() -> None:
    timed = request("speculative")
    assert counting.first_tokens(timed) is None
    assert counting.tokens_per_step([timed], k=3) is None


def test_the_system_rate_is_over_the_wall_clock() -> None:
    one = _ending_at(1000, tokens=50, sent_ms=0)
    two = _ending_at(1100, tokens=60, sent_ms=100)
    assert figures.system_tok_s([one, two]) == pytest.approx(91.667, abs=5e-4)


def test_a_prefill_rate_is_prompt_tokens_over_the_time_to_first_text() -> None:
    assert figures.prefill_tok_s(request("plain")) == pytest.approx(139 / 0.2)


def _ending_at(last_ms: int, *, tokens: int, sent_ms: int):
    from edgeops.bench.records import Event, Usage

    usage = Usage(prompt_tokens=9, completion_tokens=tokens)
    times = [Event(t=10_000_000, content=3), Event(t=last_ms * 1_000_000, content=3, finish="length", usage=usage)]
    events = (*times, Event(t=last_ms * 1_000_000, done=True))
    return request("plain", events=events, sent_ns=sent_ms * 1_000_000)
