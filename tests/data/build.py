"""Write ``snapshots/`` anew: ``python -m tests.data.build``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from edgeops.snapshot import Snapshot
from edgeops.snapshot.documents import document
from tests.data.hosts import FIXTURES, Fixture

DIRECTORY = Path(__file__).parent / "snapshots"


def snapshot_of(fixture: Fixture) -> Snapshot:
    return Snapshot(fixture.name, "2026-11-30T09:12:44+00:00", False, fixture.answers)


def texts(fixture: Fixture) -> dict[Path, str]:
    """Both files of a fixture."""
    expected: dict[str, Any] = {"platform": fixture.platform, "not_green": dict(sorted(fixture.not_green.items()))}
    if fixture.settings:
        expected["settings"] = dict(fixture.settings)
    return {
        DIRECTORY / f"{fixture.name}.json": json.dumps(document(snapshot_of(fixture)), indent=1) + "\n",
        DIRECTORY / f"{fixture.name}.expected.yml": yaml.safe_dump(expected, sort_keys=False),
    }


if __name__ == "__main__":
    for fixture in FIXTURES:
        for path, text in texts(fixture).items():
            path.write_text(text, encoding="utf-8")
