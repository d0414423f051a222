"""Records of a whole benchmark, written by a formula: what a server of given speeds would have answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from edgeops.bench.records import Event, Header, Records, Request, State, Step, Usage

PROMPTS = ("a", "b", "c", "d", "e", "f")
SPEEDS = {"baseline": 70.0, "k3": 115.0}
TOKENS = 128
IDLE = State(status=200, active_requests=0, queued_requests=0, speculative_decoding=True, speculative_method="dspark")
PROSE = " ".join(f"word{number}" for number in range(110))


def header(**changes: Any) -> Header:
    made = Header(
        run="20261130-120000-smoke-abcd",
        host="spark-01",
        records="records-spark-01.jsonl",
        model="model",
        version="0.11.1",
        method="dspark",
        method_wanted="dspark",
        k=3,
        baseline_kind="drafting_off",
        arms=("baseline", "k3"),
        workloads=("chat",),
    )
    return made.model_copy(update=changes)


def answer(arm: str, prompt: str, rate: float, **changes: Any) -> Request:
    """A timed request of ``TOKENS`` tokens, end to end at ``rate`` tokens a second, with text from 100 ms on."""
    last = round(TOKENS / rate * 1e9)
    step = Step(phase="timed", arm=arm, workload="chat", prompt=prompt)
    usage = Usage(prompt_tokens=139, completion_tokens=TOKENS)
    events = (
        Event(t=4_000_000, role=True),
        Event(t=100_000_000, content=4),
        Event(t=last, content=500),
        Event(t=last, finish="length"),
        Event(t=last, usage=usage),
        Event(t=last, done=True),
    )
    made = Request(step=step, status=200, sent_ns=1, events=events, text=PROSE, before=IDLE)
    return made.model_copy(update=changes)


def failed(arm: str, prompt: str) -> Request:
    step = Step(phase="timed", arm=arm, workload="chat", prompt=prompt)
    return Request(step=step, status=429, before=IDLE)


def known(arm: str, text: str, *expect: str) -> Request:
    made = answer(arm, "sum", 70.0, text=text)
    return made.model_copy(update={"step": Step(phase="known", arm=arm, workload="chat", prompt="sum", expect=expect)})


def benchmark(
    speeds: dict[str, float] | None = None, wobble: Sequence[float] = (1.0, 1.01, 0.99, 1.02, 0.98, 1.0)
) -> tuple[Request, ...]:
    """One block a prompt in each arm, and one known answer; ``wobble`` scales the arms' ratio prompt by prompt."""
    speeds = speeds or SPEEDS
    requests = []
    for prompt, factor in zip(PROMPTS, wobble, strict=True):
        for arm, rate in speeds.items():
            requests.append(answer(arm, prompt, rate * (1 if arm == "baseline" else factor)))
    return (*requests, *(known(arm, "The answer is 4.", "4") for arm in speeds))


def records_of(requests: Sequence[Request], **changes: Any) -> Records:
    return Records(header=header(**changes), requests=tuple(requests))
