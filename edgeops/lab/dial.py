"""The scripted engine's knobs, seen from the lab machine: a file on the host's disk."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from edgeops.errors import ConfigurationError
from edgeops.lab.disk import Disk
from edgeops.lab.places import HostPlaces
from edgeops.lab.records import read_record
from edgeops.lab.scripted.knobs import FILE, KnobError, knob_called, knobs_of


def turn(state: str, name: str, changes: dict[str, str]) -> dict[str, Any]:
    """Set knobs of a host, empty text resets one. Returns all that are set. Raises ConfigurationError."""
    places = HostPlaces(Path(state), name)
    record = read_record(places.record)
    if record is None:
        raise ConfigurationError(f"no simulated host {name} here", "edgeops lab status lists them")
    tree = Disk(places, record.layers).attach()
    path = tree / str(FILE).lstrip("/")
    values = changed(_stored(path), changes)
    if changes:
        draft = path.with_suffix(".new")
        draft.write_text(json.dumps(values, indent=2) + "\n")
        draft.replace(path)
    if "mem_available_gib" in changes:
        _show_memory(tree / "etc/lab", values.get("mem_available_gib"))
    return values


def _show_memory(directory: Path, gib: float | None) -> None:
    """Written in place: the host has this very file mounted at /proc/meminfo. None shows what the host came with."""
    shown, first = directory / "meminfo", directory / "meminfo.first"
    if not first.exists():
        first.write_text(shown.read_text())
    text = first.read_text()
    if gib is not None:
        text = re.sub(r"(?m)^MemAvailable:.*$", f"MemAvailable: {round(gib * 1024**2):>12} kB", text)
    shown.write_text(text)


def changed(values: dict[str, Any], changes: dict[str, str]) -> dict[str, Any]:
    """``values`` with ``changes``, checked. Raises ConfigurationError naming the knob."""
    try:
        for name in changes:
            knob_called(name)
        kept = {name: value for name, value in values.items() if name not in changes}
        return dict(knobs_of({**kept, **{name: value for name, value in changes.items() if value}}).values)
    except KnobError as error:
        raise ConfigurationError(str(error), "edgeops lab set HOST, without values, explains them") from None


def _stored(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return values if isinstance(values, dict) else {}
