"""The launches of a sweep as a run keeps them: a directory each, with records as of any measurement."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from edgeops.bench import record_lines
from edgeops.bench.comparison import k_of
from edgeops.bench.launches import Sweep, Unserved
from edgeops.bench.records import Records
from edgeops.bench.sweep import sweep_results
from edgeops.errors import EdgeopsError

UNSERVED = "unserved.jsonl"
"""Launches that did not come up, a line each."""


def sweep_entries(sweep: Sweep) -> list[dict[str, Any]]:
    """The entries of ``edgeops.smoke/1``, one a method. Raises EdgeopsError."""
    try:
        return sweep_results(sweep)
    except ValueError as error:
        raise EdgeopsError(f"the records of {sweep.host} cannot be read: {error}") from None


def together(sweep: Sweep, method: str | None = None) -> Records:
    """All launches, or those of ``method``, as one: for pictures and tables, not for comparing the rates of one with
    another's.
    """
    parts = sweep.of(method) if method else sweep.parts
    headers = [part.header for part in parts if part.header is not None]
    if not headers:
        return Records()
    arms = tuple(sorted({arm for header in headers for arm in header.arms}, key=k_of))
    return Records(
        header=headers[0].model_copy(update={"arms": arms}),
        survey=parts[0].survey,
        negotiated=parts[0].negotiated,
        requests=tuple(request for part in parts for request in part.requests),
        ends=tuple(end for part in parts for end in part.ends),
        samples=tuple(sample for part in parts for sample in part.samples),
        conditions=tuple(one for part in parts for one in part.conditions),
        complaints=tuple(complaint for part in parts for complaint in part.complaints),
    )


def read_sweeps(directory: Path) -> Iterator[Sweep]:
    """One for each host; none for a run that was no sweep. Raises EdgeopsError for a file that cannot be opened."""
    parts: dict[str, list[Records]] = {}
    for file in sorted(directory.glob("*/records-*.jsonl"), key=lambda path: path.stat().st_mtime_ns):
        records = _read(file)
        if records.header is not None and records.header.host is not None:
            parts.setdefault(records.header.host, []).append(records)
    unserved = _unserved(directory / UNSERVED)
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
