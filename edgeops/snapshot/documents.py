"""Snapshots as JSON, out and in. A file may come from anybody: what is wrong with it is said in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from edgeops.errors import ConfigurationError
from edgeops.snapshot import SCHEMA, Answer, Snapshot

FILE_LIMIT = 64 * 1024 * 1024


class _AnswerDocument(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)

    rc: int = Field(ge=-255, le=255)
    out: str = ""
    err: str = ""


class _SnapshotDocument(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)

    host: str = Field(min_length=1, max_length=255)
    taken_at: str
    simulated: bool
    probes: dict[str, _AnswerDocument]


def document(snapshot: Snapshot) -> dict[str, Any]:
    """``snapshot`` as a JSON object of schema ``edgeops.snapshot/1``."""
    probes = {probe: {"rc": a.rc, "out": a.out, "err": a.err} for probe, a in snapshot.probes.items()}
    return {
        "schema": SCHEMA,
        "host": snapshot.host,
        "taken_at": snapshot.taken_at,
        "simulated": snapshot.simulated,
        "probes": probes,
    }


def snapshot_of(value: Any, origin: str = "the snapshot") -> Snapshot:
    """The snapshot in a JSON value. Raises ConfigurationError naming ``origin``, the field and its fault."""
    schema = value.get("schema") if isinstance(value, dict) else None
    if schema != SCHEMA:
        raise ConfigurationError(
            f"{origin} is not a snapshot: its schema is {json.dumps(schema)}, expected {SCHEMA!r}",
            "take one with: edgeops check TARGET --save DIR",
        )
    try:
        found = _SnapshotDocument.model_validate({key: item for key, item in value.items() if key != "schema"})
    except ValidationError as error:
        raise ConfigurationError(
            f"{origin}: {_first(error)}", "take it anew with: edgeops check TARGET --save DIR"
        ) from None
    probes = {probe: Answer(a.rc, a.out, a.err) for probe, a in found.probes.items()}
    return Snapshot(found.host, found.taken_at, found.simulated, probes)


def read(path: Path) -> Snapshot:
    """The snapshot in the file ``path``. Raises ConfigurationError with a sentence, whatever the file holds."""
    try:
        if path.stat().st_size > FILE_LIMIT:
            raise ConfigurationError(f"{path} is too large for a snapshot ({FILE_LIMIT // 1024**2} MiB at most)")
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path} is not JSON: {error}") from None
    return snapshot_of(value, str(path))


def _first(error: ValidationError) -> str:
    problem = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in problem["loc"])
    return f"{where}: {problem['msg']}"
