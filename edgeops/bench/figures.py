"""The figures of one request: pure functions of its record, None when a figure cannot be known, never 0.

Definitions: a *content event* carries visible text in any channel. ``t_1`` and ``t_L`` are the first and the last one,
``n`` is ``usage.completion_tokens``, ``n_1`` the tokens produced up to and including the first content event. A failed
request gives no figure. All times are milliseconds, all rates tokens a second.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from edgeops.bench import failures
from edgeops.bench.records import Event, Request

_NS_PER_MS = 1e6


def content_events(request: Request) -> tuple[Event, ...]:
    """The content events, in the order of arrival; none for a failed request."""
    return () if failures.reason(request) else tuple(event for event in request.events if event.has_text)


def output_tokens(request: Request) -> int | None:
    """``n``."""
    return None if failures.reason(request) else failures.completion_tokens(request)


def first_event_ms(request: Request) -> float | None:
    """The first event of any kind. Diagnosis only: this server sends it at admission, before the prefill."""
    return request.events[0].t / _NS_PER_MS if request.events and not failures.reason(request) else None


def ttft_ms(request: Request) -> float | None:
    """Time to the first visible text: ``t_1 - t_send``. Under speculation that text may hold several tokens."""
    events = content_events(request)
    return events[0].t / _NS_PER_MS if events else None


def ttfa_ms(request: Request) -> float | None:
    """Time to the first answer: the first event with ``content``, after any reasoning."""
    return next((event.t / _NS_PER_MS for event in content_events(request) if event.content), None)


def decode_ms(request: Request) -> float | None:
    """``D = t_L - t_1``."""
    events = content_events(request)
    return (events[-1].t - events[0].t) / _NS_PER_MS if events else None


def decode_tok_s(request: Request, first_tokens: int | None) -> float | None:
    """``(n - n_1) / D``. With ``n_1`` unknown it is taken as 1, and the figure is an upper bound."""
    tokens, duration = _decoded(request, first_tokens)
    return tokens / duration * 1000 if tokens > 0 and duration > 0 else None


def tpot_ms(request: Request, first_tokens: int | None) -> float | None:
    """``D / (n - n_1)``: time per output token after the first text."""
    tokens, duration = _decoded(request, first_tokens)
    return duration / tokens if tokens > 0 and duration > 0 else None


def _decoded(request: Request, first_tokens: int | None) -> tuple[int, float]:
    tokens = output_tokens(request) or 0
    return tokens - (1 if first_tokens is None else first_tokens), decode_ms(request) or 0.0


def e2e_tok_s(request: Request) -> float | None:
    """``n / (t_L - t_send)``: the rate that decides while one request runs at a time."""
    events, tokens = content_events(request), output_tokens(request)
    return tokens / events[-1].t * 1e9 if events and tokens and events[-1].t > 0 else None


def event_gaps_ms(request: Request) -> tuple[float, ...]:
    """Gaps between content events. Jitter, not a time per token: an event holds a whole verify step."""
    events = content_events(request)
    return tuple((later.t - earlier.t) / _NS_PER_MS for earlier, later in pairwise(events))


def prefill_tok_s(request: Request) -> float | None:
    """``prompt_tokens / TTFT``: contains queue and network."""
    tokens, first = failures.prompt_tokens(request), ttft_ms(request)
    return tokens / first * 1000 if tokens and first else None


def tokens_per_event(request: Request) -> float | None:
    """``n / content events``: biased up by withheld steps, down by split events."""
    events, tokens = content_events(request), output_tokens(request)
    return tokens / len(events) if events and tokens else None


def system_tok_s(requests: Iterable[Request]) -> float | None:
    """All tokens over the wall clock from the first send to the last content event; not a sum of streams."""
    good = [request for request in requests if content_events(request)]
    if not good:
        return None
    begin = min(request.sent_ns for request in good)
    end = max(request.sent_ns + content_events(request)[-1].t for request in good)
    return sum(output_tokens(request) or 0 for request in good) / (end - begin) * 1e9 if end > begin else None
