"""Which file is the inventory, when nobody says so, and how it is read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from edgeops.errors import ConfigurationError
from edgeops.inventory.neighbours import refuse_neighbours
from edgeops.inventory.reading import read_hosts
from edgeops.inventory.selection import Inventory
from edgeops.inventory.written import Entry
from edgeops.inventory.yaml_file import read_yaml
from edgeops.locations import LAB_INVENTORY

VARIABLE = "EDGEOPS_INVENTORY"
DIRECTORY = Path("inventories")
_YAML = (".yml", ".yaml", ".json")
_EXAMPLE = "example.yml"


def open_inventory(option: Path | None) -> Inventory:
    """The inventory from ``option``, else $EDGEOPS_INVENTORY, else ./inventories, else a running lab's.

    A directory stands for the one inventory in it; several are refused, not merged, since one file's ``all`` would then
    reach the hosts of the other. Raises ConfigurationError with file and line.
    """
    path = find_inventory(option, os.environ)
    hosts = read_hosts(_entries(path), path.parent)
    if not hosts:
        raise ConfigurationError(
            f"{path}: no hosts in it", "Name them below all: hosts: (see the file that edgeops init writes)."
        )
    return Inventory(path, hosts)


def find_inventory(option: Path | None, environment: Mapping[str, str]) -> Path:
    """The file to read; it exists when this returns. Raises ConfigurationError."""
    if option is not None:
        return _existing(option.expanduser(), "--inventory")
    if environment.get(VARIABLE):
        return _existing(Path(environment[VARIABLE]).expanduser(), f"${VARIABLE}")
    if DIRECTORY.is_dir() and (found := _inside(DIRECTORY)):
        return found
    if LAB_INVENTORY.is_file():
        return LAB_INVENTORY
    raise ConfigurationError(
        "no inventory: neither --inventory, $EDGEOPS_INVENTORY, a file in ./inventories nor a running lab",
        "edgeops init writes one; edgeops lab up makes simulated hosts; user@address needs none.",
    )


def _existing(path: Path, named_by: str) -> Path:
    if path.is_dir():
        if found := _inside(path):
            return found
        raise ConfigurationError(f"{named_by}: no inventory (*.yml, *.yaml, *.py) in {path}")
    if not path.exists():
        raise ConfigurationError(f"{named_by}: no such file: {path}")
    if not path.is_file():
        raise ConfigurationError(f"{named_by}: not a regular file: {path}")
    return path


def _inside(directory: Path) -> Path | None:
    try:
        files = sorted(path for path in directory.iterdir() if _is_inventory(path))
    except OSError as error:
        raise ConfigurationError(f"{directory}: cannot be read: {error.strerror}") from None
    if len(files) > 1:
        names = ", ".join(path.name for path in files)
        raise ConfigurationError(
            f"several inventories in {directory}: {names}", "Choose one with -i FILE or $EDGEOPS_INVENTORY."
        )
    return files[0] if files else None


def _is_inventory(path: Path) -> bool:
    hidden = path.name.startswith((".", "_"))
    return path.suffix in (".yml", ".yaml", ".py") and path.name != _EXAMPLE and not hidden and path.is_file()


def _entries(path: Path) -> list[Entry]:
    if path.suffix == ".py":
        from edgeops.inventory.python_file import read_python

        return read_python(path)
    if path.suffix in _YAML:
        entries = read_yaml(path)
        refuse_neighbours(entries, path.parent)
        return entries
    raise ConfigurationError(
        f"{path}: an inventory ends in .yml, .yaml, .json or .py",
        f"Ansible's INI can be turned over: ansible-inventory -i {path} --list --yaml > fleet.yml",
    )
