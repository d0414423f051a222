"""The one place where values become words of a shell line, of a unit file or of an environment file."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Iterable

from edgeops.errors import ConfigurationError


def shell(*words: object) -> str:
    """One POSIX shell line in which each of ``words`` is exactly one word, whatever it holds."""
    return " ".join(shlex.quote(_one_line(str(word))) for word in words)


def unit_word(value: str) -> str:
    """``value`` as one word of an ``ExecStart=`` line, with systemd's ``%`` and ``$`` taken literally, quoted where
    needed.

    Source: systemd.service(5), "Command lines", and systemd.unit(5), "Specifiers".
    """
    if re.fullmatch(r"[A-Za-z0-9_+=:,./@-]+", value):
        return value
    escaped = _one_line(value).replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'


def unit_words(values: Iterable[str]) -> str:
    """Several words of an ``ExecStart=`` line."""
    return " ".join(unit_word(value) for value in values)


def environment_value(value: str) -> str:
    """``value`` for an ``EnvironmentFile=`` line, in double quotes (systemd.exec(5), "EnvironmentFile")."""
    escaped = _one_line(value)
    for character in ("\\", '"', "$", "`"):
        escaped = escaped.replace(character, "\\" + character)
    return f'"{escaped}"'


def _one_line(text: str) -> str:
    if any(unicodedata.category(character) == "Cc" for character in text):
        raise ConfigurationError(f"a value may not hold control characters or a second line: {text!r}")
    return text
