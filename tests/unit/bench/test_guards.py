"""Each guard fails when what it guards against is there, and only then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from edgeops.bench import guards
from edgeops.bench.comparison import Comparison, arm_records
from edgeops.bench.records import Event, Request, State, Usage
from tests.unit.bench.arms import IDLE, answer, benchmark, failed, known, records_of


def outcome(requests: tuple[Request, ...], **header: Any) -> dict[str, bool | None]:
    records = records_of(requests, **header)
    assert records.header is not None
    pair = Comparison(records.header, arm_records(records, "chat", "baseline"), arm_records(records, "chat", "k3"))
    return {guard.id: guard.ok for guard in guards.evaluate(pair)}


def changed(change: Callable[[Request], Request], arm: str = "k3") -> tuple[Request, ...]:
    """The benchmark with one arm's timed requests changed."""
    return tuple(
        change(request) if (request.step.arm, request.step.phase) == (arm, "timed") else request
        for request in benchmark()
    )


def with_usage(request: Request, **usage: int | None) -> Request:
    events = tuple(
        event.model_copy(update={"usage": event.usage.model_copy(update=usage)}) if event.usage else event
        for event in request.events
    )
    return request.model_copy(update={"events": events})


def later_first_text(request: Request) -> Request:
    events = tuple(
        event.model_copy(update={"t": 111_000_000}) if event.t == 100_000_000 else event for event in request.events
    )
    return request.model_copy(update={"events": events})


BUSY = IDLE.model_copy(update={"active_requests": 1})
QUEUED = IDLE.model_copy(update={"queued_requests": 1})
FALLEN_BACK = IDLE.model_copy(update={"speculative_method": "none", "speculative_decoding": False})
BROKEN: dict[str, tuple[str, tuple[Request, ...]]] = {
    "another request runs": ("idle", changed(lambda r: r.model_copy(update={"before": BUSY}))),
    "another request waits": ("idle", changed(lambda r: r.model_copy(update={"before": QUEUED}), "baseline")),
    "health is silent": ("idle", changed(lambda r: r.model_copy(update={"before": State()}), "baseline")),
    "the server fell back": ("method", changed(lambda r: r.model_copy(update={"before": FALLEN_BACK}))),
    "more than k + 1 times faster": ("possible", benchmark({"baseline": 20.0, "k3": 90.0})),
    "prompts differ": ("prompt_tokens", changed(lambda r: with_usage(r, prompt_tokens=140))),
    "prompts are not counted": ("prompt_tokens", changed(lambda r: with_usage(r, prompt_tokens=None))),
    "too few characters": ("text_per_token", changed(lambda r: with_usage(r, completion_tokens=2000))),
    "too many characters": ("text_per_token", changed(lambda r: with_usage(r, completion_tokens=30))),
    "one in six failed": ("failures", (*benchmark()[2:], failed("baseline", "a"), failed("k3", "a"))),
    "first text is late": ("ttft", changed(later_first_text)),
    "answers are short": ("output_length", changed(lambda r: with_usage(r, completion_tokens=110))),
    "answers are long": ("output_length", changed(lambda r: with_usage(r, completion_tokens=150))),
    "a wrong answer": ("known_answers", (*benchmark(), known("k3", "It is 5.", "4"))),
    "no question was asked": ("known_answers", benchmark()[:-2]),
    "a text in circles": ("repetition", changed(lambda r: r.model_copy(update={"text": "and so on " * 40}))),
}


def test_nothing_fails_on_a_good_benchmark() -> None:
    assert False not in outcome(benchmark()).values()
    assert list(outcome(benchmark()).values()).count(True) == 10


def test_what_was_not_watched_does_not_apply() -> None:
    names = [name for name, ok in outcome(benchmark()).items() if ok is None]
    assert names == ["throttling", "clocks", "power_mode", "memory", "gpu_users", "load"]


@pytest.mark.parametrize("fault", BROKEN)
def test_a_fault_fails_its_guard(fault: str) -> None:
    guard, requests = BROKEN[fault]
    assert outcome(requests)[guard] is False


@pytest.mark.parametrize(
    "fault", [name for name in BROKEN if BROKEN[name][0] in ("idle", "method", "known_answers", "repetition")]
)
def test_a_fault_fails_its_own_guard_only(fault: str) -> None:
    guard, requests = BROKEN[fault]
    assert {name for name, ok in outcome(requests).items() if ok is False} == {guard}


def test_load_that_a_foreign_server_does_not_tell_does_not_apply() -> None:
    silent = tuple(request.model_copy(update={"before": State()}) for request in benchmark())
    found = outcome(silent, host=None, url="http://127.0.0.1:1", method=None, method_wanted=None)
    assert found["idle"] is None
    assert found["method"] is False


def test_a_few_late_requests_of_a_busy_machine_are_no_harm() -> None:
    """The median is 18 % later, since four of six were; two were much earlier, so that nothing is sure."""

    def wandering(request: Request) -> Request:
        at = 40_000_000 if request.step.prompt in "ab" else 118_000_000
        events = tuple(
            event.model_copy(update={"t": at}) if event.t == 100_000_000 else event for event in request.events
        )
        return request.model_copy(update={"events": events})

    assert outcome(changed(wandering))["ttft"] is True


def test_one_failure_in_twenty_is_allowed_and_two_are_not() -> None:
    nineteen = tuple(answer(arm, f"p{i}", 70.0) for i in range(19) for arm in ("baseline", "k3"))
    assert outcome((*nineteen, failed("k3", "q")))["failures"] is True
    assert outcome((*nineteen, failed("k3", "q"), failed("k3", "r")))["failures"] is False


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("4", True),
        ("**4**.", True),
        ("It is four!", True),
        ("FOUR", True),
        ("14", False),
        ("fourteen", False),
        ("", False),
    ],
)
def test_an_answer_is_right_when_it_stands_alone(text: str, right: bool) -> None:
    assert guards.is_right(known("k3", text, "4", "four")) is right


def test_a_failed_question_is_not_right() -> None:
    assert not guards.is_right(known("k3", "4", "4").model_copy(update={"status": 500}))


def test_tool_and_reasoning_text_count_as_text() -> None:
    def thought(request: Request) -> Request:
        events = tuple(
            Event(t=event.t, reasoning=event.content) if event.content else event for event in request.events
        )
        return request.model_copy(update={"events": events})

    assert outcome(changed(thought))["text_per_token"] is True


def test_usage_without_numbers_is_a_usage() -> None:
    assert Usage().completion_tokens is None
