"""What all parsers share: text of any origin taken apart without an exception."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_NUMBER = re.compile(r"[0-9]{1,18}")
_DECIMAL = re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]{1,15})?")
_ABSENT = frozenset({"", "n/a", "[n/a]", "not supported", "[not supported]", "unknown", "[unknown error]", "(none)"})


def lines(text: str) -> list[str]:
    """The lines that are not blank, stripped of blanks, carriage returns and NUL bytes."""
    stripped = (line.strip(" \t\r\x00\ufeff") for line in re.split(r"[\r\n]+", text))
    return [line for line in stripped if line]


def first_line(text: str) -> str | None:
    """The first line that is not blank."""
    return next(iter(lines(text)), None)


def integer(text: str | None) -> int | None:
    """A whole number of at most 18 ASCII digits, and nothing else."""
    word = (text or "").strip()
    return int(word) if _NUMBER.fullmatch(word) else None


def decimal(text: str | None) -> float | None:
    """A plain decimal number."""
    word = (text or "").strip()
    return float(word) if _DECIMAL.fullmatch(word) else None


def known(text: str | None) -> str | None:
    """The text, or None where a tool says that there is none (``[N/A]``, ``Not Supported``)."""
    word = (text or "").strip()
    return None if word.casefold() in _ABSENT else word


def assignments(text: str) -> dict[str, str]:
    """``KEY=value`` lines with one pair of quotes removed; the last value of a key wins, comments are skipped."""
    pairs = (line.partition("=") for line in lines(text) if not line.startswith("#"))
    return {key.strip(): unquoted(value) for key, equals, value in pairs if equals}


def unquoted(value: str) -> str:
    """``value`` without surrounding blanks and without one pair of equal quotes."""
    word = value.strip()
    if len(word) >= 2 and word[0] == word[-1] and word[0] in "\"'":
        word = word[1:-1]
    return word.strip()


def json_object(text: str) -> Mapping[str, Any]:
    """The JSON object in ``text``, also behind a warning line; empty where there is none."""
    start = text.find("{")
    if start < 0:
        return {}
    try:
        document, _ = json.JSONDecoder().raw_decode(text[start:])
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def text_at(document: Any, *keys: str) -> str | None:
    """The string at ``keys`` of nested JSON objects; None where there is none."""
    for key in keys:
        document = document.get(key) if isinstance(document, Mapping) else None
    return document if isinstance(document, str) else None
