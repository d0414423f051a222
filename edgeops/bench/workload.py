"""What is asked in a benchmark: named lists of prompts that come with edgeops, and files that readers already have."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from edgeops.bench.prompt_shapes import Messages, messages_of
from edgeops.errors import ConfigurationError

_OWN = Path(__file__).with_name("workloads")
NAMED = ("chat", "1k", "2k")


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

    @property
    def longest(self) -> int:
        """Characters of its longest prompt."""
        return max(len(json.dumps(prompt.messages)) for prompt in self.prompts)


def open_workloads(text: str) -> tuple[Workload, ...]:
    """Names and files with commas between them, the shortest prompts first: memory is tried step by step.

    Raises ConfigurationError; also for two of the same name.
    """
    words = [text] if Path(text).is_file() else [word.strip() for word in text.split(",") if word.strip()]
    found = [open_workload(word) for word in words]
    names = [workload.name for workload in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not found:
        raise ConfigurationError(f"the workload {twice[0]!r} is named twice" if twice else "no workload is named")
    return tuple(sorted(found, key=lambda workload: workload.longest))


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
    """JSON lines or one JSON array, plain or gzipped; what an entry may look like is in prompt_shapes.py.

    ``id`` (or ``task_id``, ``session_id``) and ``class`` (or ``category``) are optional.
    """
    data = _bytes(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path}: not UTF-8 text", "Give JSON lines, plain or gzipped.") from None
    prompts = tuple(_prompts(path, _entries(text)))
    if not prompts:
        raise ConfigurationError(f"{path}: no prompts in it", 'Give one JSON object a line: {"prompt": "…"}')
    return Workload(name, prompts, hashlib.sha256(data).hexdigest())


def _entries(text: str) -> Iterator[tuple[int, Callable[[], Any]]]:
    """Each entry's number, and how to read it: of an array, as ShareGPT's files are, or of lines."""
    if text.lstrip().startswith("["):
        with suppress(ValueError, RecursionError):
            whole = json.loads(text)
            yield from ((number, partial(_given, entry)) for number, entry in enumerate(whole, 1))
            return
    lines = ((number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip())
    yield from ((number, partial(json.loads, line)) for number, line in lines)


def _given(entry: Any) -> Any:
    return entry


def _bytes(path: Path) -> bytes:
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    except (OSError, EOFError, ValueError) as error:
        raise ConfigurationError(f"{path}: cannot be read: {error}") from None


def _prompts(path: Path, entries: Iterator[tuple[int, Callable[[], Any]]]) -> Iterator[Prompt]:
    seen: set[str] = set()
    for number, read in entries:
        try:
            prompt = _prompt(read(), f"line-{number}")
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
    given = next((str(entry[key]) for key in ("id", "task_id", "session_id") if entry.get(key)), fallback)
    content_class = str(entry.get("class") or entry.get("category") or "")
    expect = entry.get("expect") or []
    if not isinstance(expect, list) or not all(isinstance(answer, str) for answer in expect):
        raise ValueError("expect is not a list of texts")
    return Prompt(given, content_class, messages_of(entry), tuple(expect))
