"""Answers drawn at random, of every kind that the vendor's server gives, served over HTTP to a probe as it really runs.

The server stamps each event as it sends it, by the clock that the probe uses. Reasons are exact; figures are within
0.5 % or 1 ms of those of the server's own stamps. A machine that does other things delays one process now and then, so
the figures may take a few attempts: a probe that is wrong is wrong in all of them.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from edgeops.bench import counting, failures, figures
from edgeops.bench.records import Event, Request, Step, Usage
from tests.unit.bench.fake_server import HEAD, LAST, Action, FakeServer, chunk, delta, event, usage
from tests.unit.bench.test_probe_on_the_wire import ask

ATTEMPTS = 6
Trace = list[tuple[float, str, int]]
"""Milliseconds after the request came, kind, tokens; kinds as in traces.py."""


def drawn(kind: str, seed: int) -> Trace:
    """A trace of ``kind``; no two seeds give the same."""
    dice = random.Random(f"{kind}{seed}")
    now, total = dice.uniform(20, 60), 0
    trace: Trace = [(dice.uniform(0, 5), "role", 0)]
    first = dice.randint(2, 4) if kind in ("bundled", "one_event") else 1
    steps = [first, *(dice.randint(1, 4) for _ in range(dice.randint(8, 16)))]
    for place, tokens in enumerate(steps):
        held = kind == "withheld" and 0 < place < len(steps) - 1 and dice.random() < 0.4
        thinks = kind == "thinking" and place < 4
        trace.append(
            (now, "step" if held or (kind == "thinking" and place == 0) else "think" if thinks else "text", tokens)
        )
        total += tokens
        now += dice.uniform(5, 25)
        if kind == "one_event":
            break
    if kind == "thinking":
        trace.append((trace[4][0], "text", 0))
        trace.sort(key=lambda item: item[0])
    if kind == "end_token":
        trace, total = [*trace, (now, "empty", 1)], total + 1
    if kind == "no_content":
        trace = [(at, "empty" if word == "text" else word, tokens) for at, word, tokens in trace]
    if kind == "error_mid":
        return [*trace[: len(trace) // 2], (now, "error:500", 0), (now, "done", 0)]
    if kind == "error_early":
        return [trace[0], (now, "error:400", 0), (now, "done", 0)]
    end = "stop" if kind in ("end_token", "stop") else "cancelled" if kind == "cancelled" else "length"
    rest = {"no_finish": "finish", "no_usage": "usage", "no_done": "done"}.get(kind, "")
    ending = [(now, f"finish:{end}", 0), (now, f"usage:{0 if kind == 'no_tokens' else total}", 0), (now, "done", 0)]
    return trace + [item for item in ending if not rest or not item[1].startswith(rest)]


def wire(word: str, tokens: int, counts: bool) -> bytes:
    """The bytes of one event; none for a step without one."""
    kind, _, value = word.partition(":")
    entries = tokens if counts else 0
    made: dict[str, Callable[[], bytes]] = {
        "role": lambda: event(delta(role="assistant")),
        "text": lambda: event(delta(content="word " * max(1, tokens), entries=entries)),
        "think": lambda: event(delta(reasoning_content="hmm " * tokens, entries=entries)),
        "empty": lambda: event(delta(content="", entries=entries)),
        "step": lambda: event(delta(entries=entries)) if counts else b"",
        "finish": lambda: event(delta(finish=value)),
        "usage": lambda: event(usage(139, int(value))),
        "error": lambda: event({"error": {"message": "engine failure", "code": int(value)}}),
        "done": lambda: event("[DONE]"),
    }
    return made[kind]()


def expected(word: str, tokens: int, counts: bool) -> Event:
    """The record of that event without its time."""
    kind, _, value = word.partition(":")
    entries = tokens if counts else 0
    made: dict[str, Callable[[], Event]] = {
        "role": lambda: Event(t=0, role=True),
        "text": lambda: Event(t=0, content=5 * max(1, tokens), entries=entries),
        "think": lambda: Event(t=0, reasoning=4 * tokens, entries=entries),
        "finish": lambda: Event(t=0, finish=value),
        "usage": lambda: Event(t=0, usage=Usage(prompt_tokens=139, completion_tokens=int(value))),
        "error": lambda: Event(t=0, error=value),
        "done": lambda: Event(t=0, done=True),
    }
    return made.get(kind, lambda: Event(t=0, entries=entries))()


class Served:
    """One trace served once: what the probe recorded, and what it should have."""

    def __init__(self, trace: Trace, *, counts: bool = False) -> None:
        stamps: list[tuple[int, str, int]] = []

        def answer(_: dict[str, Any]) -> Iterator[Action]:
            begin = time.monotonic()
            yield HEAD
            for at, word, tokens in trace:
                data = wire(word, tokens, counts)
                if data:
                    time.sleep(max(0.0, begin + at / 1000 - time.monotonic()))
                    stamps.append((time.monotonic_ns(), word, tokens))
                    yield chunk(data)
            yield LAST

        with FakeServer(answer) as server:
            self.found = ask(server)[0]
        events = [
            expected(word, tokens, counts).model_copy(update={"t": max(0, stamp - self.found.sent_ns)})
            for stamp, word, tokens in stamps
        ]
        step = Step(phase="counting" if counts else "timed", arm="k3", workload="chat", prompt="p")
        self.right = Request(step=step, status=200, events=tuple(events))


GOOD = ("speculative", "bundled", "withheld", "thinking", "end_token", "one_event", "stop")
BAD = {
    "error_mid": "error_event",
    "error_early": "error_event",
    "no_usage": "no_usage",
    "no_tokens": "no_usage",
    "no_done": "no_done",
    "no_finish": "no_finish",
    "cancelled": "no_finish",
    "no_content": "no_content",
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", BAD)
def test_a_failure_has_exactly_its_reason(kind: str, seed: int) -> None:
    served = Served(drawn(kind, seed))
    assert failures.reason(served.found) == BAD[kind]
    assert figures.ttft_ms(served.found) is None


def values(request: Request, first_tokens: int | None) -> dict[str, float | None]:
    return {
        "first_event_ms": figures.first_event_ms(request),
        "ttft_ms": figures.ttft_ms(request),
        "ttfa_ms": figures.ttfa_ms(request),
        "decode_ms": figures.decode_ms(request),
        "decode_tok_s": figures.decode_tok_s(request, first_tokens),
        "tpot_ms": figures.tpot_ms(request, first_tokens),
        "e2e_tok_s": figures.e2e_tok_s(request),
    }


def is_close(name: str, found: dict[str, float | None], right: dict[str, float | None]) -> bool:
    """A rate over a short time may be off by what 1 ms is of that time."""
    value, truth = found[name], right[name]
    if value is None or truth is None:
        return value is truth
    if name.endswith("_ms"):
        return abs(value - truth) <= max(0.005 * truth, 1.0)
    lasting = right["decode_ms"] or 0.0
    if name == "e2e_tok_s":
        lasting += right["ttft_ms"] or 0.0
    return abs(value / truth - 1) <= max(0.005, 1.0 / lasting)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", GOOD)
def test_figures_are_those_of_the_servers_own_stamps(kind: str, seed: int) -> None:
    trace = drawn(kind, seed)
    counted = Served(trace, counts=True)
    first = counting.first_tokens(counted.found)
    assert first == counting.first_tokens(counted.right) is not None
    assert counting.step_sizes(counted.found) == counting.step_sizes(counted.right)
    for _ in range(ATTEMPTS):
        served = Served(trace)
        found, right = values(served.found, first), values(served.right, first)
        wrong = {name: (found[name], right[name]) for name in found if not is_close(name, found, right)}
        if not wrong:
            break
    assert wrong == {}
    assert failures.reason(served.found) is None
    assert figures.output_tokens(served.found) == figures.output_tokens(served.right)
    assert figures.tokens_per_event(served.found) == figures.tokens_per_event(served.right)
