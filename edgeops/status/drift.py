"""One difference between what is declared or recorded and what is there, and the words to tell it in."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from edgeops.report.faults import printable

MOST_CHARACTERS = 300
_SECRET = re.compile(r"(?i)(token|key|secret|passw|credential)")
_KEY = re.compile(r"^([\w-]+)=")


@dataclass(frozen=True)
class Drift:
    """``what`` names it. ``declared``: what is asked for, or was verified; ``actual``: what is there; ``remedy``: the
    command that mends it."""

    what: str
    declared: str
    actual: str
    remedy: str


@dataclass(frozen=True)
class Remedies:
    """Commands for one host, as an operator types them."""

    host: str

    @property
    def deploy(self) -> str:
        return f"edgeops deploy {self.host}"

    def there(self, command: str) -> str:
        """A command for a shell on the host itself."""
        return f"on {self.host}: {command}"

    def restart(self) -> str:
        return self.there("sudo systemctl daemon-reload && sudo systemctl restart trtedge")


def lines_apart(declared: str, actual: str) -> tuple[str, str]:
    """The lines that only one of two texts has, each side as one line; command lines by their differing words."""
    ours, theirs = _only(declared, actual), _only(actual, declared)
    if len(ours) == len(theirs) == 1 and all(line.startswith("ExecStart=") for line in (*ours, *theirs)):
        return words_apart(_words(ours[0]), _words(theirs[0]))
    return _told(ours), _told(theirs)


def words_apart(declared: Sequence[str], actual: Sequence[str]) -> tuple[str, str]:
    """The words that only one of two command lines has, flags together with their values."""
    ours, theirs = _flags(declared), _flags(actual)
    return (
        _told([word for word in ours if word not in theirs]),
        _told([word for word in theirs if word not in ours]),
    )


def masked(line: str) -> str:
    """``line`` without what may be a secret: values of environment variables and of keys."""
    found = _KEY.match(line)
    name = found.group(1) if found else line.partition(" ")[0]
    if found is None and not name.startswith("--"):
        return line
    hidden = name in ("Environment", "SetCredential") or _SECRET.search(name)
    return f"{name}{'=' if found else ' '}…" if hidden else line


def shortened(text: str) -> str:
    """``text`` fit for one line of a terminal."""
    shown = printable(text)
    return shown if len(shown) <= MOST_CHARACTERS else shown[: MOST_CHARACTERS - 1] + "…"


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


def _only(text: str, other: str) -> list[str]:
    there = {line.strip() for line in other.splitlines()}
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and line not in there and not line.startswith(("#", ";"))]


def _flags(words: Sequence[str]) -> list[str]:
    """Each flag with the word that follows it, which is its value unless it is a flag too."""
    found: list[str] = []
    for word in words:
        if found and found[-1].startswith("--") and " " not in found[-1] and not word.startswith("--"):
            found[-1] += f" {word}"
        else:
            found.append(word)
    return found


def _told(parts: Iterable[str]) -> str:
    return shortened("; ".join(masked(part) for part in parts)) or "nothing of it"
