"""One streamed answer: its text as it comes, and afterwards its figures by the benchmark's own definitions."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import requests

from edgeops.bench import failures, figures
from edgeops.bench.probe import Broken, EventSplitter, describe
from edgeops.bench.records import Event, Request, Step
from edgeops.errors import EdgeopsError

SILENCE_S = 660.0
"""The vendor's server lets a request wait in its queue for 600 s without a word."""
CONNECT_S = 15.0


@dataclass(frozen=True)
class Piece:
    """Text as it arrives. ``reasoning`` is what the model thinks before it answers."""

    text: str
    reasoning: bool = False


@dataclass
class Answer:
    """What came, as far as it came. ``cut`` when the reader had enough."""

    text: str = ""
    reasoning: str = ""
    events: list[Event] = field(default_factory=list)
    cut: bool = False

    @property
    def record(self) -> Request:
        """As the benchmark would keep it."""
        step = Step(phase="timed", arm="chat")
        return Request(step=step, status=200, events=tuple(self.events), text=self.text, reasoning=self.reasoning)

    def document(self) -> dict[str, Any]:
        """The figures: times in milliseconds, rates in tokens a second, None where they cannot be known.

        ``decode_tok_s`` is an upper bound: how many tokens the first event held is not visible in an answer.
        """
        record = self.record
        return {
            "answer": self.text,
            "reasoning": self.reasoning,
            "finish": failures.finish_reason(record) or None,
            "ttft_ms": figures.ttft_ms(record),
            "decode_tok_s": figures.decode_tok_s(record, None),
            "e2e_tok_s": figures.e2e_tok_s(record),
            "prompt_tokens": failures.prompt_tokens(record),
            "output_tokens": failures.completion_tokens(record),
        }

    def sentence(self) -> str:
        """The figures for people, or why there are none."""
        found, why = self.document(), failures.reason(self.record)
        if self.cut:
            return "cut off"
        if why:
            return f"no figures: {why}"
        rates = [f"first text after {found['ttft_ms']:.0f} ms", f"{found['output_tokens']} tokens"]
        rates += [f"at most {found['decode_tok_s']:.1f} tok/s decoding"] if found["decode_tok_s"] else []
        rates += [f"{found['e2e_tok_s']:.1f} tok/s end to end"] if found["e2e_tok_s"] else []
        rates += ["ended at the token limit"] if found["finish"] == "length" else []
        return ", ".join(rates)


def stream(url: str, body: dict[str, Any], key: str, answer: Answer) -> Iterator[Piece]:
    """Send ``body`` and yield text as it comes, filling ``answer``. Raises EdgeopsError with the server's own words."""
    headers = {"Accept": "text/event-stream"} | ({"Authorization": f"Bearer {key}"} if key else {})
    begin = time.monotonic_ns()
    try:
        with requests.post(url, json=body, headers=headers, stream=True, timeout=(CONNECT_S, SILENCE_S)) as response:
            if response.status_code != 200:
                raise EdgeopsError(_refusal(response))
            yield from _pieces(response, begin, answer)
    except requests.RequestException as error:
        raise EdgeopsError(
            f"the server does not answer: {_cause(error)}", "Is it up? `edgeops status` tells."
        ) from None
    except Broken as error:
        raise EdgeopsError(f"the answer broke off: {error}") from None


def _pieces(response: requests.Response, begin: int, answer: Answer) -> Iterator[Piece]:
    splitter = EventSplitter()
    for chunk in response.iter_content(chunk_size=None):
        now = time.monotonic_ns() - begin
        for name, data, size in splitter.feed(chunk):
            event, content, reasoning = describe(name, data)
            if error := event.get("error"):
                raise EdgeopsError(f"the server stopped with an error: {error}")
            answer.events.append(Event(t=now, bytes=size, **event))
            answer.text += content
            answer.reasoning += reasoning
            yield from (Piece(text, thought) for text, thought in ((reasoning, True), (content, False)) if text)


def _refusal(response: requests.Response) -> str:
    try:
        told = response.json()["error"]["message"]
    except (ValueError, KeyError, TypeError):
        told = response.text[:300]
    return f"the server refused with status {response.status_code}: {str(told)[:500]}"


def _cause(error: BaseException) -> str:
    """The innermost reason; what wraps it repeats the address and object names."""
    while error.__context__ is not None:
        error = error.__context__
    return str(error) or type(error).__name__
