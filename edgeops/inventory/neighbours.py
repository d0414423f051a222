"""``group_vars/`` and ``host_vars/``: Ansible reads them, edgeops does not, and says so where it matters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from edgeops.errors import ConfigurationError
from edgeops.inventory.connection import canonical, is_connection
from edgeops.inventory.document import items, read_document
from edgeops.inventory.problems import refuse
from edgeops.inventory.written import Entry
from edgeops.settings import Settings

_DIRECTORIES = ("group_vars", "host_vars")
_SUFFIXES = ("", ".yml", ".yaml", ".json")


def refuse_neighbours(entries: Iterable[Entry], base: Path) -> None:
    """Raise ConfigurationError when such a file says something to one of the hosts that edgeops would have used."""
    names = {name for entry in entries for name in (entry.name, *entry.groups)}
    refuse(
        (
            f"{where}: {key} is set here, and {base / directory} is not read"
            for directory, where, key in _said(base, names)
        ),
        "Move it into the inventory, or write one file of all: ansible-inventory -i INVENTORY --list --yaml",
    )


def _said(base: Path, names: set[str]) -> Iterator[tuple[str, str, str]]:
    for directory in _DIRECTORIES:
        for file in sorted((base / directory).rglob("*")):
            whose = file.relative_to(base / directory).parts[0]
            if file.is_file() and file.suffix in _SUFFIXES and (whose in names or Path(whose).stem in names):
                yield from ((directory, where, key) for key, where in _keys(file))


def _keys(file: Path) -> Iterator[tuple[str, str]]:
    """Ours among the keys of ``file``. One that cannot be read, as an encrypted one, is none of edgeops' business."""
    try:
        root = read_document(file)
        found = [(key, where) for key, where, _ in items(root, file)] if root is not None else []
    except ConfigurationError:
        return
    yield from ((key, where) for key, where in found if key in Settings.model_fields or is_connection(canonical(key)))
