"""What is sent, in which order: warm up, then the arms in turns, then the untimed passes. Pure: it makes plans."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

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
    steps = [{"do": "survey", "on_host": on_host}, {**negotiate, "fields": {"max_tokens": 1}}]
    return {
        **target.plan,
        "prompts": {"hello": [hello]},
        "fields": FIELDS,
        "arms": {"baseline": {SWITCH: True}},
        "steps": steps,
        "deadline_s": sizes.deadline_s,
        "total_s": 60 + sizes.deadline_s * (len(OPTIONAL) + 2),
    }


def measure_plan(target: Target, sizes: Sizes, course: Course) -> dict[str, Any]:
    """The whole measurement of one server."""
    steps = list(course.steps(sizes, nonces()))
    requests = sum(len(step.get("nonces", [0])) for step in steps)
    prompts = (*course.workload.prompts, *course.known)
    fields = {**FIELDS, "model": course.model, "max_tokens": sizes.max_tokens}
    return {
        **target.plan,
        "prompts": {prompt.id: list(prompt.messages) for prompt in prompts},
        "fields": {name: value for name, value in fields.items() if name not in course.refused and value != ""},
        "arms": {arm: {} if SWITCH in course.refused else {SWITCH: k_of(arm) == 0} for arm in course.arms},
        "steps": steps,
        "deadline_s": sizes.deadline_s,
        "total_s": 60 + sizes.deadline_s * requests,
    }


@dataclass(frozen=True)
class Course:
    """What one server is put through. ``refused`` are the request fields that it does not take."""

    model: str
    arms: tuple[str, ...]
    workload: Workload
    known: tuple[Prompt, ...]
    refused: tuple[str, ...] = ()

    def steps(self, sizes: Sizes, nonce: Iterator[str]) -> Iterator[dict[str, Any]]:
        """Warm-up, timed, counting and known-answer requests, in this order."""
        yield from self._warmups(sizes, nonce)
        for arm, prompt, block in in_turns(self.arms, self.workload.prompts, sizes.repeat):
            yield {**self._step("timed", arm, prompt), "block": block, "nonce": next(nonce)}
        yield from self._countings(sizes, nonce)
        for arm in self.arms:
            for prompt in self.known:
                known = self._step("known", arm, prompt)
                yield {**known, "expect": prompt.expect, "fields": {"max_tokens": KNOWN_TOKENS}}

    def _warmups(self, sizes: Sizes, nonce: Iterator[str]) -> Iterator[dict[str, Any]]:
        for arm in self.arms if sizes.warmup else ():
            step = {**self._step("warmup", arm, self.workload.prompts[0]), "do": "settle"}
            most = [next(nonce) for _ in range(max(MOST_WARMUPS, sizes.warmup))]
            yield {**step, "least": sizes.warmup, "tolerance": STEADY, "nonces": most}

    def _countings(self, sizes: Sizes, nonce: Iterator[str]) -> Iterator[dict[str, Any]]:
        for arm in self.arms:
            tokens = sizes.max_tokens if k_of(arm) else min(BASELINE_COUNTING_TOKENS, sizes.max_tokens)
            for prompt in self.workload.prompts:
                fields = {"logprobs": True, "max_tokens": tokens}
                yield {**self._step("counting", arm, prompt), "nonce": next(nonce), "fields": fields}

    def _step(self, phase: str, arm: str, prompt: Prompt) -> dict[str, Any]:
        return {
            "do": "request",
            "phase": phase,
            "arm": arm,
            "workload": self.workload.name,
            "prompt": prompt.id,
            "content_class": prompt.content_class,
        }


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
