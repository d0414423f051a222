"""What a benchmark observed, as it is kept: stamps, sizes, texts and states. No figure is stored; figures derive.

The lines of ``records-<host>.jsonl``: one ``survey`` and ``negotiated`` (who serves, what it accepts), one ``run``
(what was decided to be measured), a ``request`` for each request sent, timed or not, ``samples`` and ``conditions``
of the machine where the probe ran on it, and an ``end``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Phase = Literal["warmup", "timed", "counting", "known"]

Count = Annotated[int, Field(ge=0, le=10**9)]
Nanoseconds = Annotated[int, Field(ge=0, le=10**18)]
"""Bounds that no real record reaches, so that no arithmetic on a forged one can overflow."""


Reading = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
Seconds = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]


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


class Sample(Line):
    """The machine at one moment. ``t``: the monotonic clock of ``Request.sent_ns``; what it could not tell is None.

    ``reasons``: why the clock is below what it could be, as NVML's bits. ``busy_s`` and ``server_s``: seconds of all
    cores and of the server's process so far, of which only differences mean something.
    """

    t: Nanoseconds
    mem_available_kib: Annotated[int, Field(ge=0, le=10**15)] | None = None
    sm_mhz: Reading | None = None
    power_w: Reading | None = None
    temperature_c: Reading | None = None
    reasons: Annotated[int, Field(ge=0, lt=2**32)] | None = None
    busy_s: Seconds | None = None
    server_s: Seconds | None = None


class Samples(Line):
    """Samples that were taken since the last such line."""

    kind: Literal["samples"] = "samples"
    samples: tuple[Sample, ...]


class GpuUser(Line):
    """A process with work on the GPU. ``ours``: the measured server's, or below it."""

    pid: int
    name: str = ""
    ours: bool = False


class Conditions(Line):
    """The machine before or after the run. ``power_mode`` and ``gpu_users`` are None where no tool tells them."""

    kind: Literal["conditions"] = "conditions"
    when: Literal["before", "after"]
    power_mode: str | None = None
    gpu_users: tuple[GpuUser, ...] | None = None
    cores: int | None = None


class Checkpoint(Line):
    """A model or draft: where it came from and, for one from a hub, its revision."""

    source: str = ""
    revision: str = ""


class Deployed(Line):
    """What edgeops recorded on the host about the measured service: the model first, then the draft if there is one."""

    release: str = ""
    tensorrt: str = ""
    checkpoints: tuple[Checkpoint, ...] = ()


class Survey(Line):
    """Who serves. ``machine``: its ``gpu``, ``driver``, ``capability`` and ``board``, as far as it tells them.

    ``flags`` are those of the server's process, where the probe runs on its host and may read them.
    """

    kind: Literal["survey"] = "survey"
    health_status: int = 0
    health: dict[str, Any] | None = None
    models_status: int = 0
    models: tuple[str, ...] = ()
    version: str | None = None
    flags: dict[str, str] | None = None
    simulated: bool = False
    kernel: str | None = None
    machine: dict[str, str] = {}
    deployed: Deployed | None = None


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
    memory_floor_gib: Reading | None = None
    round_trip_ms: Reading | None = None
    fingerprint: dict[str, Any] = {}


class End(Line):
    """The probe's last line; ``cpu_ns`` is its own time.

    ``complete`` is false when it gave up: ``because`` of ``deadlines`` (the server hangs) or ``memory`` (below the
    floor).
    """

    kind: Literal["end"] = "end"
    cpu_ns: Nanoseconds = 0
    complete: bool = True
    because: str = ""


@dataclass(frozen=True)
class Records:
    """All lines of one host. ``complaints`` are sentences about lines that could not be read."""

    header: Header | None = None
    survey: Survey | None = None
    negotiated: Negotiated | None = None
    requests: tuple[Request, ...] = ()
    ends: tuple[End, ...] = ()
    samples: tuple[Sample, ...] = ()
    conditions: tuple[Conditions, ...] = ()
    complaints: tuple[str, ...] = field(default=())

    def of(self, phase: Phase, workload: str, arm: str) -> tuple[Request, ...]:
        """The requests of one phase, workload and arm, in the order in which they were sent."""
        wanted = (phase, workload, arm)
        return tuple(r for r in self.requests if (r.step.phase, r.step.workload, r.step.arm) == wanted)
