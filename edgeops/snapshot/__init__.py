"""A host's raw answers, as text, replayable: taken by one script, parsed and judged elsewhere by pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SCHEMA = "edgeops.snapshot/1"


@dataclass(frozen=True)
class Answer:
    """What one probe said: exit code (127: no such command; 124: cut off by its time limit), stdout, stderr."""

    rc: int
    out: str = ""
    err: str = ""


@dataclass(frozen=True)
class Snapshot:
    """All answers of one host. ``simulated`` is true on a lab host, which says so itself."""

    host: str
    taken_at: str
    simulated: bool
    probes: Mapping[str, Answer] = field(default_factory=dict)

    def answer(self, probe: str) -> Answer:
        """The answer of ``probe``; rc 127 and empty where the snapshot has none."""
        return self.probes.get(probe, Answer(127))
