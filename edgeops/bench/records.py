"""What a benchmark observed, as it is kept: stamps, sizes, texts and states. No figure is stored; figures derive.

The lines of ``records-<host>.jsonl``: one ``survey`` and ``negotiated`` (who serves, what it accepts), one ``run``
(what was decided to be measured), a ``request`` for each request sent, timed or not, and an ``end``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Phase = Literal["warmup", "timed", "counting", "known"]

Count = Annotated[int, Field(ge=0, le=10**9)]
Nanoseconds = Annotated[int, Field(ge=0, le=10**18)]
"""Bounds that no real record reaches, so that no arithmetic on a forged one can overflow."""


class Line(BaseModel):
    """Part of a record; what it does not know is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Usage(Line):
    """Token counts as the server states them; None where it says nothing."""

    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None


class Event(Line):
    """One server-sent event. ``t``: nanoseconds after the send; ``bytes`` on the wire; text lengths in characters.

    ``entries`` are its logprob entries, one for each token of the step; only a counting pass has them.
    """

    t: Nanoseconds
    bytes: Count = 0
    role: bool = False
    content: Count = 0
    reasoning: Count = 0
    tool: Count = 0
    entries: Count = 0
    finish: str = ""
    usage: Usage | None = None
    error: str = ""
    unreadable: bool = False
    done: bool = False

    @property
    def has_text(self) -> bool:
        """A content event: visible text in any channel. Role, empty, finish and usage events are not."""
        return bool(self.content or self.reasoning or self.tool)


class State(Line):
    """The server just before a request. ``status`` is that of /health, 0 when nothing answered; the rest as told."""

    status: int = 0
    active_requests: int | None = None
    queued_requests: int | None = None
    speculative_decoding: bool | None = None
    speculative_method: str | None = None
    mem_available_kib: int | None = None


class Step(Line):
    """Why a request was sent. ``block`` counts the paired blocks of a prompt; ``expect`` holds accepted answers."""

    phase: Phase
    arm: str
    workload: str = ""
    prompt: str = ""
    content_class: str = ""
    block: int = 0
    nonce: str = ""
    expect: tuple[str, ...] = ()


class Request(Line):
    """One request and its answer. ``ending``: ``complete``, ``closed`` (in good order), ``broken`` or ``deadline``.

    ``sent_ns`` is the monotonic clock of the machine on which the probe ran; the other times are durations.
    """

    kind: Literal["request"] = "request"
    step: Step
    status: int = 0
    ending: Literal["complete", "closed", "broken", "deadline"] = "complete"
    detail: str = ""
    sent_ns: Nanoseconds = 0
    connect_ns: Nanoseconds = 0
    headers_ns: Nanoseconds = 0
    wall_ns: Nanoseconds = 0
    cpu_ns: Nanoseconds = 0
    events: tuple[Event, ...] = ()
    text: str = ""
    reasoning: str = ""
    before: State = State()


class Survey(Line):
    """Who serves. ``flags`` are those of the server's process, where the probe runs on its host and may read them."""

    kind: Literal["survey"] = "survey"
    health_status: int = 0
    health: dict[str, Any] | None = None
    models_status: int = 0
    models: tuple[str, ...] = ()
    version: str | None = None
    flags: dict[str, str] | None = None
    simulated: bool = False
    kernel: str | None = None


class Negotiated(Line):
    """Which optional request fields the server refused. ``strict``: it also refuses a field that nobody knows."""

    kind: Literal["negotiated"] = "negotiated"
    refused: tuple[str, ...] = ()
    strict: bool | None = None
    status: int = 0
    ending: str = ""
    detail: str = ""


class Header(Line):
    """What was decided to be measured, from survey and options; ``records`` is the file's own path."""

    kind: Literal["run"] = "run"
    run: str
    host: str | None = None
    url: str | None = None
    records: str = ""
    simulated: bool = False
    model: str | None = None
    version: str | None = None
    method: str | None = None
    method_wanted: str | None = None
    k: Annotated[int, Field(ge=0, le=64)] = 0
    baseline_kind: str | None = None
    arms: tuple[str, ...]
    one_arm_because: str = ""
    workloads: tuple[str, ...]
    fingerprint: dict[str, Any] = {}


class End(Line):
    """The probe's last line. ``complete`` is false when it gave up on a server that hangs; ``cpu_ns`` its own time."""

    kind: Literal["end"] = "end"
    cpu_ns: Nanoseconds = 0
    complete: bool = True


@dataclass(frozen=True)
class Records:
    """All lines of one host. ``complaints`` are sentences about lines that could not be read."""

    header: Header | None = None
    survey: Survey | None = None
    negotiated: Negotiated | None = None
    requests: tuple[Request, ...] = ()
    ends: tuple[End, ...] = ()
    complaints: tuple[str, ...] = field(default=())

    def of(self, phase: Phase, workload: str, arm: str) -> tuple[Request, ...]:
        """The requests of one phase, workload and arm, in the order in which they were sent."""
        wanted = (phase, workload, arm)
        return tuple(r for r in self.requests if (r.step.phase, r.step.workload, r.step.arm) == wanted)
