"""Is this the server that was asked for, and does it generate? Pure judgement over what it answered."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

FINISHED = ("stop", "length", "tool_calls")
QUESTION = "What is the capital of France? Answer with one word."
ANSWER = "paris"


@dataclass(frozen=True)
class Expected:
    """What a verified server says of itself. ``method`` is ``none`` for plain decoding."""

    name: str
    method: str


@dataclass(frozen=True)
class Proof:
    """One real generation. ``problems`` are sentences; empty when the server is what it should be."""

    problems: tuple[str, ...] = ()
    text: str = ""
    finish_reason: str | None = None
    completion_tokens: int | None = None
    knows_the_answer: bool = False

    @property
    def ok(self) -> bool:
        return not self.problems


def request(name: str) -> dict[str, Any]:
    """The chat request of the proof: greedy, short, streamed, with usage, and nothing the vendor's schema forbids."""
    return {
        "model": name,
        "messages": [{"role": "user", "content": QUESTION}],
        "temperature": 0,
        "max_tokens": 16,
        "enable_thinking": False,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def judge(answers: dict[str, Any], expected: Expected) -> Proof:
    """The proof, from ``{"health": [status, text], "models": [status, text], "generation": {status, events,
    error}}``."""
    problems = [*_health_problems(answers.get("health"), expected), *_model_problems(answers.get("models"), expected)]
    generation = answers.get("generation")
    generation = generation if isinstance(generation, dict) else {}
    events = [_object(event) for event in generation.get("events", []) if isinstance(event, str) and event != "[DONE]"]
    done = "[DONE]" in generation.get("events", [])
    finish, tokens, text = _finish(events), _tokens(events), _text(events)
    problems += _generation_problems(generation, events, finish, tokens, done)
    return Proof(tuple(problems), text, finish, tokens, ANSWER in text.lower())


def _health_problems(answer: Any, expected: Expected) -> list[str]:
    status, document = _answer(answer)
    if status != 200:
        return [f"/health answered {status or 'nothing'}"]
    capabilities = document.get("capabilities")
    capabilities = capabilities if isinstance(capabilities, dict) else {}
    method, on = capabilities.get("speculative_method"), capabilities.get("speculative_decoding")
    if expected.method != "none" and (on is not True or method != expected.method):
        return [
            f"/health says speculative decoding is {'on' if on else 'off'} (method {method}), wanted {expected.method}"
        ]
    if expected.method == "none" and on:
        return [f"/health says speculative decoding is on (method {method}), wanted plain decoding"]
    return []


def _model_problems(answer: Any, expected: Expected) -> list[str]:
    status, document = _answer(answer)
    if status != 200:
        return [f"/v1/models answered {status or 'nothing'}"]
    data = document.get("data")
    names = [entry.get("id") for entry in data if isinstance(entry, dict)] if isinstance(data, list) else []
    return [] if expected.name in names else [f"/v1/models serves {names}, wanted {expected.name!r}"]


def _generation_problems(
    generation: dict[str, Any], events: list[dict[str, Any]], finish: str | None, tokens: int | None, done: bool
) -> list[str]:
    status, error = generation.get("status"), generation.get("error")
    failed = next((event["error"] for event in events if event.get("error")), None)
    if status != 200:
        return [f"the generation answered {status or 'nothing'}: {str(error)[:300]}"]
    if failed is not None:
        return [f"the generation failed: {_message(failed)}"]
    if error:
        return [f"the generation broke off: {error}"]
    problems = [] if done else ["the generation ended without [DONE]"]
    problems += [] if finish in FINISHED else [f"the generation ended with finish reason {finish}"]
    return problems + ([] if tokens else ["the generation reported no usage"])


def _answer(answer: Any) -> tuple[int, dict[str, Any]]:
    if not (isinstance(answer, list) and len(answer) == 2 and isinstance(answer[0], int)):
        return 0, {}
    return answer[0], _object(answer[1])


def _object(text: Any) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except (TypeError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


def _choices(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = [event.get("choices") for event in events]
    return [choices[0] for choices in found if isinstance(choices, list) and choices and isinstance(choices[0], dict)]


def _finish(events: list[dict[str, Any]]) -> str | None:
    reasons = [choice.get("finish_reason") for choice in _choices(events)]
    return next((str(reason) for reason in reversed(reasons) if reason), None)


def _tokens(events: list[dict[str, Any]]) -> int | None:
    usages = [event["usage"] for event in events if isinstance(event.get("usage"), dict)]
    count = usages[-1].get("completion_tokens") if usages else None
    return count if isinstance(count, int) else None


def _text(events: list[dict[str, Any]]) -> str:
    deltas = [choice.get("delta") for choice in _choices(events)]
    parts = [delta.get("content") or delta.get("reasoning_content") for delta in deltas if isinstance(delta, dict)]
    return "".join(part for part in parts if isinstance(part, str))


def _message(error: Any) -> str:
    return str(error.get("message", error)) if isinstance(error, dict) else str(error)
