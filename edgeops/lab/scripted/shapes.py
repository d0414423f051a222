"""Names and values of the vendor's native module that its server uses: enumerations and bags of attributes."""

from __future__ import annotations

from enum import Enum
from typing import Any


class FinishReason(Enum):
    NOT_FINISHED = 0
    END_ID = 1
    LENGTH = 2
    CANCELLED = 3
    ERROR = 4
    STOP_WORDS = 5


class ContextCacheLookupPolicy(Enum):
    USE_CACHE = 0
    BYPASS = 1


class ContextCacheCommitPolicy(Enum):
    INCLUDING_GENERATED_TOKENS = 0
    PREFILL_STATE_ONLY = 1


class ToolChoiceMode(Enum):
    NONE = 0
    AUTO = 1
    REQUIRED = 2
    FUNCTION = 3


class GuideType(Enum):
    JSON_OBJECT = 0
    JSON_SCHEMA = 1
    REGEX = 2
    EBNF = 3
    STRUCTURAL_TAG = 4
    CHOICE = 5


class ShutdownMode(Enum):
    DRAIN = 0
    CANCEL = 1


class SubmitError(Exception):
    """A request that the in-flight engine refuses."""


class Bag:
    """Takes any attribute, as the server sets them."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)


class ContextCacheConfig(Bag):
    pass


class Message(Bag):
    pass


class MessageContent(Bag):
    def __init__(self, type: str = "text", content: str = "") -> None:  # noqa: A002
        super().__init__(type=type, content=content)


class MessageToolCall(Bag):
    pass


class ToolDefinition(Bag):
    pass


class ToolChoice(Bag):
    pass


class GuidedDecodingParams(Bag):
    def __init__(self, type: GuideType | None = None, guide: str = "") -> None:  # noqa: A002
        super().__init__(type=type, guide=guide)


class Request(Bag):
    def __init__(self, messages: Any = ()) -> None:
        super().__init__(messages=list(messages), image_buffers=[], audio_buffers=[], stop_strings=[])


class LLMGenerationRequest(Bag):
    def __init__(self) -> None:
        super().__init__(
            requests=[], stream_channels=[], disable_spec_decode=False, num_logprobs=0, enable_thinking=False
        )


class LogprobEntry(Bag):
    def __init__(self, token_id: int, logprob: float, piece: bytes) -> None:
        super().__init__(token_id=token_id, logprob=logprob, piece=piece)


class LLMGenerationResponse:
    def __init__(self) -> None:
        self.output_texts: list[str] = []
        self.output_ids: list[list[int]] = []
        self.prompt_token_counts: list[int] = []
        self.finish_reasons: list[FinishReason] = []
        self.logprobs: list[list[list[LogprobEntry]]] = []


def validate_guided_decoding_params(_: Any) -> tuple[bool, str]:
    """Everything is accepted and nothing is guided."""
    return True, ""
