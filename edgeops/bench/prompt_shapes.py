"""The shapes in which other tools keep their prompts, and the messages that each of them means.

* OpenAI, GuideLLM, AIPerf: ``{"messages": [{"role": …, "content": …}]}``
* vLLM's custom data set and HumanEval: ``{"prompt": "…"}``
  (https://docs.vllm.ai/en/latest/benchmarking/cli/), GuideLLM also ``text``, ``instruction``, ``question``,
  ``content``, ``input`` (https://github.com/vllm-project/guidellm)
* AIPerf: ``{"text": "…"}``, ``{"text_input": "…"}``, ``{"texts": ["…"]}`` or ``{"texts": [{"contents": ["…"]}]}``, and
  ``{"session_id": …, "turns": [{"text": "…"}]}`` (https://github.com/ai-dynamo/aiperf)
* ShareGPT, as vLLM reads it: ``{"conversations": [{"from": "human", "value": "…"}, …]}``

Of a conversation of several turns the first question is asked: later ones would need the answers of another model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Messages = tuple[Mapping[str, Any], ...]

TEXT_KEYS = ("prompt", "text_input", "text", "texts", "instruction", "question", "content", "input")
_HUMANS = ("human", "user")


def messages_of(entry: Mapping[str, Any]) -> Messages:
    """What ``entry`` asks. Raises ValueError with a sentence when it asks nothing."""
    if entry.get("messages") is not None:
        return _chat(entry["messages"])
    if entry.get("conversations") is not None:
        return _user(_shared(entry["conversations"]))
    if entry.get("turns") is not None:
        turns = entry["turns"]
        if not isinstance(turns, list) or not turns or not isinstance(turns[0], dict):
            raise ValueError("turns is not a list of objects")
        return messages_of(turns[0])
    return _user(next((_text(entry[key]) for key in TEXT_KEYS if key in entry), ""))


def _user(text: str) -> Messages:
    if not text.strip():
        raise ValueError("neither a prompt nor messages")
    return ({"role": "user", "content": text},)


def _text(value: Any) -> str:
    """A text; the first of a list; the first content of an AIPerf text with a name."""
    if isinstance(value, list) and value:
        return _text(value[0])
    if isinstance(value, dict):
        return _text(value.get("contents"))
    return value if isinstance(value, str) else ""


def _shared(turns: Any) -> str:
    if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
        raise ValueError("conversations is not a list of objects")
    said = (turn.get("value") for turn in turns if turn.get("from") in _HUMANS)
    return next((text for text in said if isinstance(text, str)), "")


def _chat(messages: Any) -> Messages:
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise ValueError("messages is not a list of objects")
    if not any(message.get("role") == "user" and message.get("content") for message in messages):
        raise ValueError("messages holds nothing that a user says")
    return tuple(messages)
