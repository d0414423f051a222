"""A run by what a person calls it: its name, the beginning of it, ``last``, or its directory."""

from __future__ import annotations

from pathlib import Path

from edgeops.errors import ConfigurationError
from edgeops.locations import RUNS
from edgeops.runs.summary import kind_of

LAST = "last"
_NAMED = 5


def find_run(text: str, root: Path = RUNS) -> Path:
    """The directory of the run that ``text`` means. Raises ConfigurationError for none or several."""
    names = sorted(path.name for path in root.iterdir() if kind_of(path.name)) if root.is_dir() else []
    if text == LAST and names:
        return root / names[-1]
    if text in names:
        return root / text
    found = [name for name in names if text and name.startswith(text)]
    if len(found) == 1:
        return root / found[0]
    if found:
        raise ConfigurationError(f"several runs begin with {text!r}: {_listed(found)}", "Give more of its name.")
    if Path(text).is_dir() and text:
        return Path(text)
    known = f" The latest: {_listed(names)}" if names else f" There are none in {root}."
    raise ConfigurationError(f"no run {text!r}.{known}", "`edgeops runs` lists them.")


def _listed(names: list[str]) -> str:
    return ", ".join(names[-_NAMED:]) + (", …" if len(names) > _NAMED else "")
