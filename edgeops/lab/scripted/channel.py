"""The channel between the engine's thread and the server's: the part of the vendor's native module that the server
waits on.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

from .shapes import FinishReason


class StreamChunk:
    """One step's text and tokens; the last one is ``finished`` and has the reason."""

    def __init__(self, text: str = "", token_ids: list[int] | None = None) -> None:
        self.text = text
        self.token_ids = token_ids or []
        self.finished = False
        self.reason = FinishReason.NOT_FINISHED
        self.prompt_token_count = -1
        self.logprobs: list[Any] = []


class StreamChannel:
    """A queue of chunks that can be cancelled from the reading side."""

    def __init__(self) -> None:
        self._chunks: deque[StreamChunk] = deque()
        self._changed = threading.Condition()
        self._finished = False
        self.cancelled = threading.Event()
        self._skip_special_tokens = True

    @staticmethod
    def create() -> StreamChannel:
        return StreamChannel()

    def push(self, chunk: StreamChunk) -> None:
        with self._changed:
            self._chunks.append(chunk)
            self._finished = self._finished or chunk.finished
            self._changed.notify_all()

    def wait_pop(self, timeout_ms: int) -> StreamChunk | None:
        """The next chunk, awaited for up to ``timeout_ms`` milliseconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._chunks or self.cancelled.is_set(), timeout_ms / 1e3)
            return self._chunks.popleft() if self._chunks else None

    def try_pop(self) -> StreamChunk | None:
        return self.wait_pop(0)

    def is_finished(self) -> bool:
        with self._changed:
            return self._finished and not self._chunks

    def is_cancelled(self) -> bool:
        return self.cancelled.is_set()

    def cancel(self) -> None:
        with self._changed:
            self.cancelled.set()
            self._changed.notify_all()

    def set_skip_special_tokens(self, skip: bool) -> None:
        self._skip_special_tokens = skip

    def get_skip_special_tokens(self) -> bool:
        return self._skip_special_tokens
