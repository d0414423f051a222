"""One run's files: ``.edgeops/runs/<run>/``, made when the first one is written."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from edgeops.locations import RUNS


@dataclass(frozen=True)
class Run:
    """An execution of deploy, smoke or tune. ``name`` sorts by time: ``20261130-164430-smoke-3f9a``."""

    name: str
    directory: Path

    def write(self, file: str, document: Any) -> Path:
        """Keep ``document`` as JSON; the file is never seen half written."""
        path = self._path(file)
        draft = path.with_name(path.name + ".new")
        draft.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        draft.replace(path)
        return path

    def append(self, file: str, record: dict[str, Any]) -> Path:
        """Add one record to a file of JSON lines."""
        path = self._path(file)
        with path.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(record, ensure_ascii=False) + "\n")
        return path

    def _path(self, file: str) -> Path:
        path = self.directory / file
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


def new_run(kind: str, root: Path = RUNS) -> Run:
    """Name a run of ``kind`` (``deploy``, ``smoke``, …); nothing is written yet."""
    name = f"{datetime.now(timezone.utc):%Y%m%d-%H%M%S}-{kind}-{secrets.token_hex(2)}"
    return Run(name, root / name)
