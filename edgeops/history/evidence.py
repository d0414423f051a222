"""The records of a run, file by file: what cannot be read is a sentence, and the rest is read all the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edgeops.bench import record_lines
from edgeops.bench.launches import Sweep
from edgeops.bench.records import Records
from edgeops.bench.result import host_result
from edgeops.history.launches import read_sweeps, sweep_entries, together


@dataclass(frozen=True)
class Evidence:
    """One file of records. ``entry`` is what they give, None where they hold no run; ``complaints`` are sentences."""

    file: Path
    records: Records
    entry: dict[str, Any] | None
    complaints: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """The host's name, or the URL."""
        header = self.records.header
        return (header.url or header.host or "") if header else ""


def read_records(file: Path) -> Evidence:
    """One file of records; never raises."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        return Evidence(file, Records(), None, (f"{file.name} cannot be read: {error.strerror}",))
    records = record_lines.read(text.splitlines())
    complaints = tuple(f"{file.name}: {complaint}" for complaint in records.complaints)
    try:
        return Evidence(file, records, host_result(records), complaints)
    except (ValueError, ArithmeticError) as error:
        return Evidence(file, records, None, (*complaints, f"{file.name}: {error}"))


def all_evidence(directory: Path) -> tuple[Evidence, ...]:
    """Every file of records of the run in ``directory``, by name; then each host whose server was started several
    times, all its launches as one.
    """
    files = tuple(read_records(file) for file in sorted(directory.glob("records-*.jsonl")))
    return (*files, *(one for sweep in read_sweeps(directory) for one in _swept(directory, sweep)))


def _swept(directory: Path, sweep: Sweep) -> Iterator[Evidence]:
    for entry in sweep_entries(sweep):
        records = together(sweep, entry["server"]["speculative_method"])
        yield Evidence(directory, records, entry, records.complaints)
