"""Where a sweep's files are: a directory a launch in the run's own, each with records as of any measurement."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from edgeops.bench.launches import Unserved
from edgeops.errors import EdgeopsError
from edgeops.history.launches import UNSERVED, read_sweeps, sweep_entries
from edgeops.runs import Run
from edgeops.sweep.plan import Arm


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
        self.run.append(UNSERVED, {"host": self.host, **asdict(one)})

    def results(self) -> list[dict[str, Any]]:
        """The host's entries of ``edgeops.smoke/1``, from what was kept. Raises EdgeopsError where that is nothing."""
        mine = [sweep for sweep in read_sweeps(self.run.directory) if sweep.host == self.host]
        found = [entry for sweep in mine for entry in sweep_entries(sweep)]
        if not found:
            raise EdgeopsError(f"{self.host}: nothing was measured")
        return found
