"""Hand-written answers of a server: ``(ms after the send, kind, tokens)``, with figures worked out by hand.

``tokens`` is what the engine produced for the event: hidden in a timed pass, its logprob entries in a counting pass.
Kinds: ``role``, ``text``, ``think``, ``empty`` (content of no length), ``step`` (no event in a timed pass, an empty
delta with entries in a counting pass), ``finish:REASON``, ``usage:N``, ``error:CODE``, ``done``, ``close``. k is 3.
"""

from __future__ import annotations

from edgeops.bench.records import Event, Request, Step, Usage

Trace = list[tuple[int, str, int]]


def _texts(*times_and_tokens: tuple[int, int]) -> Trace:
    return [(at, "text", tokens) for at, tokens in times_and_tokens]


def _end(at: int, tokens: int, finish: str = "length") -> Trace:
    return [(at, f"finish:{finish}", 0), (at, f"usage:{tokens}", 0), (at, "done", 0)]


ROLE: Trace = [(4, "role", 0)]
PLAIN = _texts(*((200 + 20 * i, 1) for i in range(8)))
STEPS = ((4, 3, 2, 1) * 6 + (4,)) * 2

TRACES: dict[str, Trace] = {
    "plain": ROLE + PLAIN + _end(341, 8),
    "speculative": ROLE + _texts((200, 1), (230, 3), (260, 4), (290, 2), (320, 4), (350, 2)) + _end(351, 16),
    "bundled": ROLE + _texts((230, 4), (260, 4), (290, 2), (320, 4), (350, 2)) + _end(351, 16),
    "withheld": [
        *ROLE,
        *_texts((200, 1), (230, 3)),
        *((260, "step", 4), (290, "text", 2), (320, "step", 1), (350, "text", 3)),
        *_end(351, 14),
    ],
    "thinking": [
        *((5, "role", 0), (210, "step", 1), (240, "think", 3), (270, "think", 4), (300, "think", 4)),
        *_texts((300, 0), (330, 2), (360, 3), (360, 0)),
        *_end(361, 17),
    ],
    "end_token": ROLE + PLAIN + [(360, "empty", 1)] + _end(361, 9, "stop"),
    "one_event": ROLE + _texts((250, 6)) + _end(251, 6),
    "long": [(5, "role", 0), (250, "text", 1)]
    + [(250 + 30 * i, "step" if i in (10, 20) else "text", STEPS[i - 1]) for i in range(1, 51)]
    + _end(1751, 129),
    "error_mid": ROLE + _texts((200, 1), (230, 3)) + [(245, "error:500", 0), (245, "done", 0)],
    "error_early": [*ROLE, (6, "error:400", 0), (6, "done", 0)],
    "no_usage": ROLE + _texts((200, 1), (230, 3), (260, 4)) + [(261, "finish:length", 0), (261, "done", 0)],
    "no_done": ROLE
    + _texts((200, 1), (230, 3), (260, 4))
    + [(261, "finish:length", 0), (261, "usage:8", 0), (262, "close", 0)],
    "no_finish": ROLE + _texts((200, 1), (230, 3), (260, 4)) + [(261, "usage:8", 0), (261, "done", 0)],
    "no_content": [*ROLE, (200, "empty", 1), *_end(201, 1, "stop")],
}


def request(name: str, *, counting: bool = False, **changes: object) -> Request:
    """The record that a probe would make of the trace called ``name``."""
    trace = TRACES[name]
    events = [event for at, kind, tokens in trace for event in _events(at, kind, tokens, counting=counting)]
    step = Step(phase="counting" if counting else "timed", arm="k3", workload="chat", prompt=name)
    record = Request(
        step=step,
        status=200,
        ending="closed" if trace[-1][1] == "close" else "complete",
        events=tuple(events),
    )
    return record.model_copy(update=changes)


def _events(at: int, kind: str, tokens: int, *, counting: bool) -> list[Event]:
    word, _, value = kind.partition(":")
    entries = tokens if counting else 0
    made = {
        "role": lambda: Event(t=0, role=True),
        "text": lambda: Event(t=0, content=4 * max(1, tokens), entries=entries),
        "think": lambda: Event(t=0, reasoning=4 * tokens, entries=entries),
        "empty": lambda: Event(t=0, entries=entries),
        "step": lambda: Event(t=0, entries=entries),
        "finish": lambda: Event(t=0, finish=value),
        "usage": lambda: Event(t=0, usage=Usage(prompt_tokens=139, completion_tokens=int(value))),
        "error": lambda: Event(t=0, error=value),
        "done": lambda: Event(t=0, done=True),
    }
    if word == "close" or (word == "step" and not counting):
        return []
    return [made[word]().model_copy(update={"t": at * 1_000_000})]
