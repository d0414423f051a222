"""All that is wrong with an inventory is said at once, each complaint once, however many hosts it touches."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from edgeops.errors import ConfigurationError

_SHOWN = 12


def refuse(problems: Iterable[str], remedy: str = "") -> None:
    """Raise ConfigurationError with one problem a line; return when there are none."""
    different = list(dict.fromkeys(problems))
    if not different:
        return
    more = len(different) - _SHOWN
    lines = different[:_SHOWN] + ([f"and {more} more"] if more > 0 else [])
    raise ConfigurationError("\n  ".join(lines), remedy)


def nearest(word: str, known: Iterable[str], closeness: float = 0.75) -> str:
    """`` Did you mean …?`` with the most similar of ``known``, or nothing."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=closeness)
    return f" Did you mean {close[0]!r}?" if close else ""
