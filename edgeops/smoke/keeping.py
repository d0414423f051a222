"""What a probe says, kept line by line as it comes, and its progress told."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from edgeops.bench import record_lines
from edgeops.bench.decision import Asked
from edgeops.bench.procedure import Target
from edgeops.bench.records import Records, Request
from edgeops.runs import Run

Tell = Callable[[str], None]
"""Takes one sentence of the story of one server."""


@dataclass(frozen=True)
class Subject:
    """The server to measure. ``served_name`` is what it should be called, empty for the first model that it lists.

    ``on_host``: the probe runs beside the server, and may look at its machine. ``round_trip_ms``: of the connection
    that lies between them otherwise, where it was measured.
    """

    asked: Asked
    target: Target
    host: str | None = None
    url: str | None = None
    served_name: str = ""
    remedy: str = ""
    on_host: bool = False
    memory_floor_gib: float | None = None
    round_trip_ms: float | None = None
    simulated: bool = False

    @property
    def file(self) -> str:
        """Name of its file of records."""
        name = self.host or "url"
        return "records-" + "".join(c if c.isalnum() or c in "-_." else "_" for c in name) + ".jsonl"


@dataclass
class Keeper:
    """Keeps each record as it comes, and counts the requests."""

    run: Run
    subject: Subject
    tell: Tell
    lines: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def keep(self, document: dict[str, Any]) -> None:
        """Append to the file; what is not a record is told and left out."""
        line = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
        try:
            record = record_lines.read_line(line)
        except ValueError as error:
            self.tell(f"an answer of the probe was left out: {error}")
            return
        self.run.append(self.subject.file, json.loads(line))
        self.lines.append(line)
        if isinstance(record, Request):
            self.counts[record.step.phase] += 1

    @property
    def records(self) -> Records:
        return record_lines.read(self.lines)


@dataclass
class Progress:
    keeper: Keeper
    wanted: int
    phase: str = ""

    def keep(self, document: dict[str, Any]) -> None:
        self.keeper.keep(document)
        step = document.get("step")
        phase = str(step.get("phase")) if isinstance(step, dict) else ""
        timed = self.keeper.counts["timed"]
        if phase and (phase != self.phase or (phase == "timed" and timed % 6 == 0)):
            self.keeper.tell(f"{_PHASES.get(phase, phase)}{self._count(phase)}")
            self.phase = phase

    def _count(self, phase: str) -> str:
        return f", {self.keeper.counts['timed']} of {self.wanted} requests" if phase == "timed" else ""


_PHASES = {
    "warmup": "warming up",
    "timed": "measuring, the arms in turns",
    "counting": "counting tokens a step, untimed",
    "known": "asking questions with known answers",
}
