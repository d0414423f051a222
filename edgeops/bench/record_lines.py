"""Records as lines of JSON: written one at a time as they come, read again at any time, however damaged the file is."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from edgeops.bench.records import Conditions, End, Header, Line, Negotiated, Records, Request, Samples, Survey

SCHEMA = "edgeops.records/1"

_KINDS: dict[str, type[Line]] = {
    "run": Header,
    "survey": Survey,
    "negotiated": Negotiated,
    "request": Request,
    "samples": Samples,
    "conditions": Conditions,
    "end": End,
}


def read_line(text: str) -> Line:
    """One line. Raises ValueError with a sentence when it is no record."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("it is not JSON") from None
    kind = document.get("kind") if isinstance(document, dict) else None
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ValueError("it is not a record of a known kind")
    if document.get("schema", SCHEMA) != SCHEMA:
        raise ValueError(f"its schema is {document['schema']!r}, not {SCHEMA!r}")
    try:
        return _KINDS[kind].model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{kind}.{where}: {first['msg']}") from None


def read(lines: Iterable[str]) -> Records:
    """All records of ``lines``. A line that cannot be read becomes a complaint, never an exception."""
    found: dict[str, list[Any]] = {kind: [] for kind in _KINDS}
    complaints = []
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            record = read_line(text)
        except ValueError as error:
            complaints.append(f"line {number} was left out: {error}")
            continue
        found[getattr(record, "kind", "")].append(record)
    return Records(
        header=_last(found["run"]),
        survey=_last(found["survey"]),
        negotiated=_last(found["negotiated"]),
        requests=tuple(found["request"]),
        ends=tuple(found["end"]),
        samples=tuple(sample for line in found["samples"] for sample in line.samples),
        conditions=tuple(found["conditions"]),
        complaints=tuple(complaints),
    )


def write_line(record: Line) -> dict[str, Any]:
    """The JSON object of one record, without what is at its default."""
    schema = {"schema": SCHEMA} if isinstance(record, Header) else {}
    return {"kind": getattr(record, "kind", ""), **schema, **record.model_dump(mode="json", exclude_defaults=True)}


def _last(records: list[Any]) -> Any:
    return records[-1] if records else None
