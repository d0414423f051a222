"""In the place of the vendor's compiled module: ``runtime.load()`` imports this, and the server talks to it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from . import loads
from .channel import StreamChannel, StreamChunk
from .knobs import Knobs, read_knobs
from .session import Session
from .shapes import (
    ContextCacheCommitPolicy,
    ContextCacheConfig,
    ContextCacheLookupPolicy,
    FinishReason,
    GuidedDecodingParams,
    GuideType,
    LLMGenerationRequest,
    LLMGenerationResponse,
    LogprobEntry,
    Message,
    MessageContent,
    MessageToolCall,
    Request,
    ShutdownMode,
    SubmitError,
    ToolChoice,
    ToolChoiceMode,
    ToolDefinition,
    validate_guided_decoding_params,
)
from .words import prompt_token_count

__all__ = [
    "ContextCacheCommitPolicy",
    "ContextCacheConfig",
    "ContextCacheLookupPolicy",
    "FinishReason",
    "GuideType",
    "GuidedDecodingParams",
    "LLMGenerationRequest",
    "LLMGenerationResponse",
    "LLMRuntime",
    "LogprobEntry",
    "Message",
    "MessageContent",
    "MessageToolCall",
    "Request",
    "RequestEngine",
    "ShutdownMode",
    "StreamChannel",
    "StreamChunk",
    "SubmitError",
    "ToolChoice",
    "ToolChoiceMode",
    "ToolDefinition",
    "validate_guided_decoding_params",
]


class LLMRuntime:
    """Five arguments: plain. Ten: with a draft, whose k is one less than the verified tokens."""

    def __init__(self, engine_dir: str, _media: str, _lora: dict[str, str], *rest: Any) -> None:
        knobs = read_knobs()
        time.sleep(knobs.number("load_s"))
        failure = knobs.text("fail")
        if loads.refuses(failure):
            raise RuntimeError(f"Failed to deserialize the engine in {engine_dir} (simulated: fail={failure})")
        self._spared = knobs.sick and loads.served_well()
        if not knobs.sick:
            loads.remember()
        self._draft: tuple[str, int] | None = None
        if len(rest) > 2:
            _, _, verify_size, _, _, _, block_size = rest
            self._draft = (_spec_type(engine_dir), block_size or verify_size - 1)
        self._limits = _limits(engine_dir)

    def capture_decoding_cuda_graph(self) -> bool:
        return True

    def has_draft_model(self) -> bool:
        return self._draft is not None

    def handle_request(self, request: Any) -> LLMGenerationResponse:
        """Serve one request to its end; blocks. RuntimeError is an engine failure."""
        return Session(request, self._draft, self._limits, self._knobs).run()

    def _knobs(self) -> Knobs:
        """As they are now. Who was spared at the start stays so until nothing goes wrong any more."""
        knobs = read_knobs()
        self._spared = self._spared and knobs.sick
        return knobs.cured() if self._spared else knobs

    def count_prompt_tokens(self, request: Any) -> list[int]:
        return [prompt_token_count(Session.prompt_of(one)) for one in request.requests]

    def get_context_cache_metrics(self) -> None:
        return None


class RequestEngine:
    """In-flight batching is not simulated; the server turns this into a start-up error."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise RuntimeError("the scripted engine of edgeops lab has no in-flight batching")


def _spec_type(engine_dir: str) -> str:
    return str(json.loads((Path(engine_dir) / "base_config.json").read_text())["spec_decode_type"])


def _limits(engine_dir: str) -> tuple[int, int]:
    for name in ("base_config.json", "config.json"):
        path = Path(engine_dir) / name
        if path.exists():
            built = json.loads(path.read_text())["builder_config"]
            return int(built["max_input_len"]), int(built["max_kv_cache_capacity"])
    raise RuntimeError(f"no engine configuration in {engine_dir}")
