"""What is asked in a benchmark: named lists of prompts that come with edgeops, and files that readers already have."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edgeops.errors import ConfigurationError

_OWN = Path(__file__).with_name("workloads")
NAMED = ("chat",)

Messages = tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class Prompt:
    """One conversation. ``expect`` holds the accepted answers of a question that has a right one."""

    id: str
    content_class: str
    messages: Messages
    expect: tuple[str, ...] = ()


@dataclass(frozen=True)
class Workload:
    """A named list of prompts; ``digest`` is the SHA-256 of what was read."""

    name: str
    prompts: tuple[Prompt, ...]
    digest: str


def open_workload(text: str) -> Workload:
    """The workload called ``text``, or the file of that name. Raises ConfigurationError."""
    if text in NAMED:
        return read_workload(_OWN / f"{text}.jsonl", text)
    path = Path(text)
    if not path.is_file():
        raise ConfigurationError(f"no workload {text!r}: not a file, and not one of {', '.join(NAMED)}")
    return read_workload(path, path.name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json"))


def known_answers() -> tuple[Prompt, ...]:
    """Short questions with one right answer, asked untimed: a fast arm that answers them wrongly is of no use."""
    return read_workload(_OWN / "known.jsonl", "known").prompts


def read_workload(path: Path, name: str) -> Workload:
    """JSON lines, plain or gzipped. Each has ``messages``, or a text as ``prompt``, ``text`` or ``text_input``.

    HumanEval's file is read as published. ``id`` or ``task_id`` and ``class`` are optional.
    """
    data = _bytes(path)
    try:
        lines = data.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path}: not UTF-8 text", "Give JSON lines, plain or gzipped.") from None
    prompts = tuple(_prompts(path, lines))
    if not prompts:
        raise ConfigurationError(f"{path}: no prompts in it", 'Give one JSON object a line: {"prompt": "…"}')
    return Workload(name, prompts, hashlib.sha256(data).hexdigest())


def _bytes(path: Path) -> bytes:
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    except (OSError, EOFError, ValueError) as error:
        raise ConfigurationError(f"{path}: cannot be read: {error}") from None


def _prompts(path: Path, lines: list[str]) -> Iterator[Prompt]:
    seen: set[str] = set()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            prompt = _prompt(json.loads(line), f"line-{number}")
        except (ValueError, RecursionError) as error:
            wrong = "not JSON" if isinstance(error, json.JSONDecodeError | RecursionError) else str(error)
            remedy = 'One JSON object a line: {"prompt": "…"} or {"messages": [{"role": "user", "content": "…"}]}'
            raise ConfigurationError(f"{path}:{number}: {wrong}", remedy) from None
        if prompt.id in seen:
            raise ConfigurationError(f"{path}:{number}: a second prompt with the id {prompt.id!r}")
        seen.add(prompt.id)
        yield prompt


def _prompt(entry: Any, fallback: str) -> Prompt:
    if not isinstance(entry, dict):
        raise ValueError("not a JSON object")
    given = str(entry.get("id") or entry.get("task_id") or fallback)
    expect = entry.get("expect") or []
    if not isinstance(expect, list) or not all(isinstance(answer, str) for answer in expect):
        raise ValueError("expect is not a list of texts")
    return Prompt(given, str(entry.get("class") or ""), _messages(entry), tuple(expect))


def _messages(entry: Mapping[str, Any]) -> Messages:
    messages = entry.get("messages")
    if messages is None:
        text = next((entry[key] for key in ("prompt", "text", "text_input") if key in entry), None)
        if not isinstance(text, str) or not text.strip():
            raise ValueError("neither a prompt nor messages")
        return ({"role": "user", "content": text},)
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise ValueError("messages is not a list of objects")
    if not any(message.get("role") == "user" and message.get("content") for message in messages):
        raise ValueError("messages holds nothing that a user says")
    return tuple(messages)
