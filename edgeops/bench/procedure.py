"""What is sent, in which order: warm up, then the arms in turns, then the untimed passes. It only makes plans."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edgeops.bench import sampler
from edgeops.bench.comparison import k_of
from edgeops.bench.decision import SWITCH
from edgeops.bench.workload import Prompt, Workload

STEADY = 0.03
MOST_WARMUPS = 5
KNOWN_TOKENS = 16
BASELINE_COUNTING_TOKENS = 16
"""Enough for ``n_1``; the baseline's steps are single tokens."""

FIELDS: dict[str, Any] = {
    "stream": True,
    "stream_options": {"include_usage": True},
    "temperature": 0,
    "enable_thinking": False,
    "reuse_context": False,
    "cache_generated_tokens": False,
}
"""Greedy, without reasoning, and nothing of an earlier request used again: both reuse fields are true by default."""

LENGTH, NEW_LENGTH = "max_tokens", "max_completion_tokens"
"""OpenAI's older and newer name of the same limit; some servers take only the newer one
(https://platform.openai.com/docs/api-reference/chat/create)."""

SAMPLE_EVERY_S = 0.2
"""A prefill has been seen to take 21 GiB in 1.5 s (https://github.com/NVIDIA/dgx-spark-playbooks/issues/97)."""

OPTIONAL = (SWITCH, "enable_thinking", "reuse_context", "cache_generated_tokens", "stream_options")
"""Left out for a server that refuses them."""


@dataclass(frozen=True)
class Sizes:
    """How much is measured: paired blocks a prompt, least warm-ups an arm, tokens an answer, seconds a request."""

    repeat: int = 1
    warmup: int = 1
    max_tokens: int = 128
    deadline_s: float = 60.0


@dataclass(frozen=True)
class Target:
    """Where the probe connects. ``key`` is an API key or empty."""

    address: str
    port: int
    tls: bool = False
    root: str = ""
    key: str = ""

    @property
    def plan(self) -> dict[str, Any]:
        return {"address": self.address, "port": self.port, "tls": self.tls, "root": self.root, "key": self.key}


def survey_plan(target: Target, sizes: Sizes, *, on_host: bool) -> dict[str, Any]:
    """Who serves, and which fields it refuses."""
    hello = {"role": "user", "content": "Say yes."}
    negotiate = {"do": "negotiate", "arm": "baseline", "prompt": "hello", "optional": OPTIONAL}
    renamed = {LENGTH: NEW_LENGTH}
    steps = [{"do": "survey", "on_host": on_host}, {**negotiate, "fields": {LENGTH: 1}, "renamed": renamed}]
    return {
        **target.plan,
        "prompts": {"hello": [hello]},
        "fields": FIELDS,
        "arms": {"baseline": {SWITCH: True}},
        "steps": steps,
        "deadline_s": sizes.deadline_s,
        "total_s": 60 + sizes.deadline_s * (len(OPTIONAL) + 3),
    }


def measure_plan(target: Target, sizes: Sizes, course: Course) -> dict[str, Any]:
    """The whole measurement of one server."""
    steps = list(course.steps(sizes, nonces()))
    requests = sum(len(step.get("nonces", [0])) for step in steps)
    fields = {**FIELDS, "model": course.model, LENGTH: sizes.max_tokens}
    return {
        **target.plan,
        "prompts": course.prompts(),
        "fields": {name: value for name, value in fields.items() if name not in _dropped(course) and value != ""},
        "arms": {arm: {} if SWITCH in course.refused else {SWITCH: k_of(arm) == 0} for arm in course.arms},
        "renamed": {LENGTH: NEW_LENGTH} if LENGTH in course.refused else {},
        "sampling": _sampling(course.memory_floor_gib),
        "steps": steps,
        "deadline_s": sizes.deadline_s,
        "total_s": 60 + sizes.deadline_s * requests,
    }


def _dropped(course: Course) -> tuple[str, ...]:
    return tuple(name for name in course.refused if name != LENGTH)


def _sampling(floor_gib: float | None) -> dict[str, Any] | None:
    if floor_gib is None:
        return None
    source = Path(sampler.__file__).read_text(encoding="utf-8")
    return {"source": source, "interval_s": SAMPLE_EVERY_S, "floor_kib": round(floor_gib * 1024**2)}


@dataclass(frozen=True)
class Course:
    """What one server is put through. ``refused`` are the request fields that it does not take.

    ``memory_floor_gib``: below so much available memory it is stopped; None where the probe is not on the server's
    host, whose machine is not watched then.
    """

    model: str
    arms: tuple[str, ...]
    workloads: tuple[Workload, ...]
    known: tuple[Prompt, ...]
    refused: tuple[str, ...] = ()
    memory_floor_gib: float | None = None

    def prompts(self) -> dict[str, list[Mapping[str, Any]]]:
        """Messages of each prompt, by the ``key`` of the steps that send it."""
        asked = {_key(workload, prompt): prompt for workload in self.workloads for prompt in workload.prompts}
        known = {_known_key(prompt): prompt for prompt in self.known}
        return {key: list(prompt.messages) for key, prompt in {**asked, **known}.items()}

    def steps(self, sizes: Sizes, nonce: Iterator[str]) -> Iterator[dict[str, Any]]:
        """Workload after workload, in the order given: warm-up, timed, counting and known-answer requests."""
        for workload in self.workloads:
            yield from self._steps_of(workload, sizes, nonce)

    def _steps_of(self, workload: Workload, sizes: Sizes, nonce: Iterator[str]) -> Iterator[dict[str, Any]]:
        yield from self._warmups(workload, sizes, nonce)
        for arm, prompt, block in in_turns(self.arms, workload.prompts, sizes.repeat):
            yield {**_step("timed", arm, workload, prompt), "block": block, "nonce": next(nonce)}
        yield from self._countings(workload, sizes, nonce)
        for arm in self.arms:
            for prompt in self.known:
                known = _step("known", arm, workload, prompt)
                yield {**known, "expect": prompt.expect, "fields": {LENGTH: KNOWN_TOKENS}}

    def _warmups(self, workload: Workload, sizes: Sizes, nonce: Iterator[str]) -> Iterator[dict[str, Any]]:
        for arm in self.arms if sizes.warmup else ():
            step = {**_step("warmup", arm, workload, workload.prompts[0]), "do": "settle"}
            most = [next(nonce) for _ in range(max(MOST_WARMUPS, sizes.warmup))]
            yield {**step, "least": sizes.warmup, "tolerance": STEADY, "nonces": most}

    def _countings(self, workload: Workload, sizes: Sizes, nonce: Iterator[str]) -> Iterator[dict[str, Any]]:
        for arm in self.arms:
            tokens = sizes.max_tokens if k_of(arm) else min(BASELINE_COUNTING_TOKENS, sizes.max_tokens)
            for prompt in workload.prompts:
                fields = {"logprobs": True, LENGTH: tokens}
                yield {**_step("counting", arm, workload, prompt), "nonce": next(nonce), "fields": fields}


def _step(phase: str, arm: str, workload: Workload, prompt: Prompt) -> dict[str, Any]:
    return {
        "do": "request",
        "phase": phase,
        "arm": arm,
        "workload": workload.name,
        "prompt": prompt.id,
        "content_class": prompt.content_class,
        "key": _known_key(prompt) if phase == "known" else _key(workload, prompt),
    }


def _key(workload: Workload, prompt: Prompt) -> str:
    return f"asked:{workload.name}:{prompt.id}"


def _known_key(prompt: Prompt) -> str:
    """Apart from all others, whatever a reader calls his prompts."""
    return f"known:{prompt.id}"


def in_turns(arms: Sequence[str], prompts: Sequence[Prompt], repeat: int) -> Iterator[tuple[str, Prompt, int]]:
    """Baseline, k, k, baseline, …: every second block goes backwards, so that drift falls on all arms alike."""
    forward = True
    for prompt in prompts:
        for block in range(repeat):
            for arm in arms if forward else tuple(reversed(arms)):
                yield arm, prompt, block
            forward = not forward


def nonces() -> Iterator[str]:
    """Unique texts of eight digits, so that no prefix is ever seen twice and all cost the same tokens."""
    seen: set[str] = set()
    while True:
        nonce = f"{secrets.randbelow(10**8):08d}"
        if nonce not in seen:
            seen.add(nonce)
            yield nonce
