"""One request on the scripted engine: steps on absolute times, so that no delay adds up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from .channel import StreamChannel, StreamChunk
from .clock import RequestClock
from .knobs import Knobs
from .plan import plan_steps
from .shapes import FinishReason, LLMGenerationResponse, LogprobEntry
from .speed import draft_pace, plain_pace
from .words import Reply, Wanted, prompt_leaning, prompt_seed, prompt_token_count, reply

_CANCEL_POLL_S = 0.02


class Session:
    """Runs one request. ``draft`` is method and k, None without; ``limits``: built input length, KV capacity.

    ``knobs`` gives their values at the moment when it is called.
    """

    def __init__(
        self,
        request: Any,
        draft: tuple[str, int] | None,
        limits: tuple[int, int],
        knobs: Callable[[], Knobs],
    ) -> None:
        self._read_knobs = knobs
        self._knobs = knobs()
        self._request = request
        self._draft = None if request.disable_spec_decode else draft
        self._channel: StreamChannel | None = request.stream_channels[0] if request.stream_channels else None
        self._prompt = self.prompt_of(request.requests[0])
        self._prompt_tokens = prompt_token_count(self._prompt)
        self._limits = limits
        self._clock = RequestClock(self._prompt_tokens, self._draft is not None, self._draft[1] if self._draft else 0)

    @staticmethod
    def prompt_of(request: Any) -> str:
        """The text of all messages."""
        return "\n".join(str(part.content) for message in request.messages for part in message.contents)

    def run(self) -> LLMGenerationResponse:
        self._refuse()
        answer = self._answer()
        done = 0
        for number, step in enumerate(self._steps(len(answer.tokens))):
            if not self._wait_until(step.due_s):
                return self._ended(answer, done, FinishReason.CANCELLED)
            if self._knobs.text("fail") == "error_mid" and number == 2:
                self._clock.write("error")
                raise RuntimeError("CUDA error: an illegal memory access was encountered (simulated: fail=error_mid)")
            self._hand_over(answer, done, done + step.tokens)
            done += step.tokens
        return self._ended(answer, done, _reason(self._request, answer))

    def _refuse(self) -> None:
        longest = self._limits[0]
        if self._prompt_tokens > longest:
            raise RuntimeError(
                f"EDGELLM_INPUT_TOO_LONG: prefill length {self._prompt_tokens} exceeds engine max_input_len {longest}"
            )
        if self._knobs.text("fail") == "error_before":
            raise RuntimeError("CUDA error: out of memory (simulated: fail=error_before)")
        while self._read_knobs().text("fail") == "hang" and not self._cancelled():
            self._stop().wait(0.2)

    def _answer(self) -> Reply:
        asked = min(self._request.max_generate_length, max(1, self._limits[1] - self._prompt_tokens))
        ends_after = int(self._knobs.number("max_tokens"))
        wanted = Wanted(
            limit=min(asked, ends_after or asked),
            ends=0 < ends_after <= asked,
            stops=tuple(self._request.requests[0].stop_strings or ()),
            thinking=int(self._knobs.number("think_tokens")) if self._request.enable_thinking else 0,
            text=self._knobs.text("text"),
        )
        return reply(self._prompt, wanted)

    def _steps(self, total: int) -> Any:
        leaning = prompt_leaning(self._prompt)
        if self._draft is None:
            pace = plain_pace(self._prompt_tokens, self._knobs, leaning)
        else:
            pace = draft_pace(self._prompt_tokens, self._knobs, leaning, self._draft)
        return plan_steps(pace, total, prompt_seed(self._prompt))

    def _wait_until(self, due_s: float) -> bool:
        due = self._clock.seen_ns / 1e9 + due_s
        while (left := due - time.monotonic()) > 0:
            if self._stop().wait(min(left, _CANCEL_POLL_S)):
                return False
        return not self._cancelled()

    def _hand_over(self, answer: Reply, first: int, last: int) -> None:
        if self._channel is not None:
            chunk = StreamChunk("".join(answer.tokens[first:last]), _ids(answer.tokens[first:last]))
            chunk.logprobs = self._logprobs(answer.tokens[first:last])
            chunk.prompt_token_count = self._prompt_tokens
            if last == len(answer.tokens):
                chunk.finished, chunk.reason = True, _reason(self._request, answer)
            self._channel.push(chunk)
        self._clock.step(last - first)

    def _ended(self, answer: Reply, done: int, reason: FinishReason) -> LLMGenerationResponse:
        self._clock.write(reason.name.lower())
        tokens = answer.tokens[:done]
        if self._channel is not None and (reason is FinishReason.CANCELLED or not done):
            self._push_end(reason)
        response = LLMGenerationResponse()
        response.output_texts = ["".join(tokens)]
        response.output_ids = [_ids(tokens)]
        response.prompt_token_counts = [self._prompt_tokens]
        response.finish_reasons = [reason]
        response.logprobs = [self._logprobs(tokens)]
        return response

    def _push_end(self, reason: FinishReason) -> None:
        assert self._channel is not None
        chunk = StreamChunk()
        chunk.finished, chunk.reason, chunk.prompt_token_count = True, reason, self._prompt_tokens
        self._channel.push(chunk)

    def _logprobs(self, tokens: tuple[str, ...]) -> list[list[LogprobEntry]]:
        wanted = int(self._request.num_logprobs or 0)
        return [
            [LogprobEntry(_id(token) + rank, -0.1 - rank, token.encode()) for rank in range(wanted)]
            for token in tokens
            if wanted
        ]

    def _stop(self) -> threading.Event:
        return self._channel.cancelled if self._channel is not None else threading.Event()

    def _cancelled(self) -> bool:
        return self._channel is not None and self._channel.is_cancelled()


def _reason(request: Any, answer: Reply) -> FinishReason:
    if not answer.ended:
        return FinishReason.LENGTH
    return FinishReason.STOP_WORDS if request.requests[0].stop_strings else FinishReason.END_ID


def _ids(tokens: tuple[str, ...]) -> list[int]:
    return [_id(token) for token in tokens]


def _id(token: str) -> int:
    return 10 + prompt_seed(token) % 900
