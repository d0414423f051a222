"""Which requests failed, and why. A failed request is counted and listed, and gives no figure to any summary."""

from __future__ import annotations

from collections.abc import Callable

from edgeops.bench.records import Request

FINISHED = ("stop", "length", "tool_calls")
"""Reasons of an answer that ran to its end; ``cancelled`` and ``error`` exist as well and are failures."""


def is_done(request: Request) -> bool:
    """Whether ``data: [DONE]`` came."""
    return any(event.done for event in request.events)


def finish_reason(request: Request) -> str:
    """The last finish reason that the server gave, or an empty text."""
    return next((event.finish for event in reversed(request.events) if event.finish), "")


def completion_tokens(request: Request) -> int | None:
    """``usage.completion_tokens``, as last stated; None when it never was."""
    stated = [event.usage.completion_tokens for event in request.events if event.usage is not None]
    return next((tokens for tokens in reversed(stated) if tokens is not None), None)


def prompt_tokens(request: Request) -> int | None:
    """``usage.prompt_tokens``, as last stated; None when it never was."""
    stated = [event.usage.prompt_tokens for event in request.events if event.usage is not None]
    return next((tokens for tokens in reversed(stated) if tokens is not None), None)


def _broke(request: Request) -> bool:
    broken = request.ending == "broken" and not is_done(request)
    return broken or any(event.unreadable for event in request.events)


_REASONS: tuple[tuple[str, Callable[[Request], bool]], ...] = (
    ("error_event", lambda request: any(event.error for event in request.events)),
    ("connection", _broke),
    ("deadline", lambda request: request.ending == "deadline" and not is_done(request)),
    ("no_done", lambda request: not is_done(request)),
    ("no_finish", lambda request: finish_reason(request) not in FINISHED),
    ("no_usage", lambda request: (completion_tokens(request) or 0) <= 0),
    ("no_content", lambda request: not any(event.has_text for event in request.events)),
)
"""In the order of precedence, after the HTTP status."""


def reason(request: Request) -> str | None:
    """Why ``request`` failed (``http_429``, ``error_event``, ``connection``, …), or None when it did not."""
    if request.status and not 200 <= request.status < 300:
        return f"http_{request.status}"
    return next((name for name, holds in _REASONS if holds(request)), None)
