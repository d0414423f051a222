"""What a counting pass tells: an untimed request with ``logprobs``, whose events carry one entry for each token."""

from __future__ import annotations

from collections.abc import Iterable

from edgeops.bench import failures
from edgeops.bench.records import Request


def is_countable(request: Request) -> bool:
    """Whether the entries are complete: they add up to the usage, but for an end token that has no text."""
    tokens = failures.completion_tokens(request)
    if failures.reason(request) or tokens is None:
        return False
    return 0 <= tokens - sum(event.entries for event in request.events) <= 1


def first_tokens(request: Request) -> int | None:
    """``n_1``: tokens produced up to and including the first content event; withheld steps before it count."""
    if not is_countable(request):
        return None
    counted = 0
    for event in request.events:
        counted += event.entries
        if event.has_text:
            return counted or None
    return None


def step_sizes(request: Request) -> tuple[int, ...]:
    """Tokens of each step after the first one that carries entries."""
    sizes = [event.entries for event in request.events if event.entries] if is_countable(request) else []
    return tuple(sizes[1:])


def tokens_per_step(requests: Iterable[Request], k: int) -> float | None:
    """The mean step: the client's estimate of the acceptance length, bonus token included.

    None when there is no step, or when one exceeds ``k + 1``: no step can, so several came in one event.
    """
    sizes = [size for request in requests for size in step_sizes(request)]
    return sum(sizes) / len(sizes) if sizes and max(sizes) <= k + 1 else None
