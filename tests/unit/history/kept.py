"""Runs as they lie on the disk, made from records that were written by a formula."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from edgeops import history
from edgeops.bench import gates, record_lines
from edgeops.bench.records import Header, Request
from edgeops.bench.result import host_result
from edgeops.runs import Run
from tests.unit.bench.arms import header, records_of

STEADY = (1.0, 1.01, 0.99, 1.01, 0.99, 1.0)


def keep(
    root: Path, name: str, requests: Sequence[Request], *wanted: str, **changes: Any
) -> tuple[Run, dict[str, Any]]:
    """Write the records and the judged result of a smoke of one host; gives the run and the host's entry."""
    run = Run(name, root / name)
    head = header(run=name, **{"records": f"{name}/records-spark-01.jsonl", **changes})
    write_records(run, head, requests)
    entry = host_result(records_of(requests, **dict(head)))
    entry = history.judged(entry, run, gates.parse_all(wanted))
    run.write("smoke.json", {"schema": "edgeops.smoke/1", "run": name, "hosts": [entry]})
    return run, entry


def write_records(run: Run, head: Header, requests: Sequence[Request]) -> Path:
    for record in (head, *requests):
        path = run.append("records-spark-01.jsonl", record_lines.write_line(record))
    return path


def change_result(run: Run, *keys: str | int, value: object) -> None:
    """Put ``value`` where ``keys`` lead in the stored result."""
    path = run.directory / "smoke.json"
    document = json.loads(path.read_text())
    place = document
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    path.write_text(json.dumps(document))
