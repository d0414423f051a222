"""Where a sweep's files are: a directory a launch in the run's own, each with records as of any measurement."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from edgeops.bench import record_lines
from edgeops.bench.launches import Sweep, Unserved
from edgeops.bench.records import Records
from edgeops.bench.sweep import sweep_results
from edgeops.errors import EdgeopsError
from edgeops.runs import Run
from edgeops.sweep.plan import Arm

_UNSERVED = "unserved.jsonl"


@dataclass(frozen=True)
class Kept:
    """One host's part of a run."""

    run: Run
    host: str

    def run_of(self, arm: Arm) -> Run:
        """Where the records of one launch go."""
        return Run(self.run.name, self.run.directory / arm.name)

    def note_unserved(self, one: Unserved) -> None:
        """Keep that an arm could not be measured."""
        self.run.append(_UNSERVED, {"host": self.host, **asdict(one)})

    def results(self) -> list[dict[str, Any]]:
        """The host's entries of ``edgeops.smoke/1``, from what was kept. Raises EdgeopsError where that is nothing."""
        found = [entry for sweep in _sweeps(self.run.directory) if sweep.host == self.host for entry in _entries(sweep)]
        if not found:
            raise EdgeopsError(f"{self.host}: nothing was measured")
        return found


def recompute(directory: Path) -> list[dict[str, Any]]:
    """The entries of all hosts of a sweep, from its records alone; empty for a run that was none."""
    return [entry for sweep in _sweeps(directory) for entry in _entries(sweep)]


def _entries(sweep: Sweep) -> list[dict[str, Any]]:
    try:
        return sweep_results(sweep)
    except ValueError as error:
        raise EdgeopsError(f"the records of {sweep.host} cannot be read: {error}") from None


def _sweeps(directory: Path) -> Iterator[Sweep]:
    parts: dict[str, list[Records]] = {}
    for file in sorted(directory.glob("*/records-*.jsonl"), key=lambda path: path.stat().st_mtime_ns):
        records = _read(file)
        if records.header is not None and records.header.host is not None:
            parts.setdefault(records.header.host, []).append(records)
    unserved = _unserved(directory / _UNSERVED)
    for host in dict.fromkeys([*parts, *unserved]):
        yield Sweep(host, str(directory), tuple(parts.get(host, ())), tuple(unserved.get(host, ())))


def _read(file: Path) -> Records:
    try:
        return record_lines.read(file.read_text(encoding="utf-8").splitlines())
    except (OSError, UnicodeDecodeError) as error:
        raise EdgeopsError(f"{file} cannot be read: {error}") from None


def _unserved(file: Path) -> dict[str, list[Unserved]]:
    found: dict[str, list[Unserved]] = {}
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else ():
        try:
            told = json.loads(line)
            one = Unserved(
                str(told["method"]),
                int(told["k"]),
                str(told["reason"]),
                tuple(map(str, told["workloads"])),
                bool(told["possible"]),
            )
            found.setdefault(str(told["host"]), []).append(one)
        except (ValueError, KeyError, TypeError):
            continue
    return found
