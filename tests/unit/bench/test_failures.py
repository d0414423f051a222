"""Which request failed, and the one reason when several hold."""

from __future__ import annotations

import pytest

from edgeops.bench import failures
from edgeops.bench.records import Event, Usage
from tests.unit.bench.traces import request

ERROR = Event(t=1, error="engine")
DONE = Event(t=9, done=True)


@pytest.mark.parametrize("status", [400, 404, 413, 429, 500, 503, 302])
def test_an_http_status_comes_before_everything_else(status: int) -> None:
    assert failures.reason(request("error_early", status=status, ending="broken")) == f"http_{status}"


def test_an_error_event_comes_before_a_broken_connection() -> None:
    assert failures.reason(request("plain", events=(ERROR,), ending="broken")) == "error_event"


def test_a_broken_connection_is_a_failure_whatever_came_before() -> None:
    events = request("plain").events[:-1]
    assert failures.reason(request("plain", events=events, ending="broken")) == "connection"


def test_an_event_that_cannot_be_read_is_a_broken_connection() -> None:
    events = (*request("plain").events, Event(t=5, unreadable=True))
    assert failures.reason(request("plain", events=events)) == "connection"


def test_what_happens_after_done_does_not_matter() -> None:
    assert failures.reason(request("plain", ending="broken")) is None
    assert failures.reason(request("plain", ending="deadline")) is None


def test_a_passed_deadline_comes_before_a_missing_done() -> None:
    assert failures.reason(request("plain", events=(), status=0, ending="deadline")) == "deadline"


def test_nothing_at_all_is_no_done() -> None:
    assert failures.reason(request("plain", events=())) == "no_done"


@pytest.mark.parametrize("finish", ["cancelled", "error", "", "something"])
def test_only_three_finish_reasons_are_an_end(finish: str) -> None:
    events = (Event(t=1, content=3, finish=finish, usage=Usage(completion_tokens=3)), DONE)
    assert failures.reason(request("plain", events=events)) == "no_finish"


@pytest.mark.parametrize("tokens", [0, None])
def test_usage_of_no_tokens_is_no_usage(tokens: int | None) -> None:
    events = (Event(t=1, content=3, finish="stop", usage=Usage(completion_tokens=tokens)), DONE)
    assert failures.reason(request("plain", events=events)) == "no_usage"


def test_a_tool_call_is_content() -> None:
    events = (Event(t=1, tool=12, finish="tool_calls", usage=Usage(completion_tokens=3)), DONE)
    assert failures.reason(request("plain", events=events)) is None
