"""What became of one host, filled in as its deploy goes on, so that an interruption still leaves a true account."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from edgeops.deployment.phases import Phase

SCHEMA = "edgeops.deploy/1"
Outcome = Literal["unchanged", "deployed", "rolled_back", "failed", "refused", "skipped"]


@dataclass(frozen=True)
class Trouble:
    """Why a host did not get there: the phase, a sentence, what to do, and the server's own last lines."""

    phase: str
    message: str
    remedy: str = ""
    log_tail: tuple[str, ...] = ()


@dataclass
class HostReport:
    """One host's part of the result. ``release`` serves now; ``previous`` served before."""

    host: str
    platform: str = "unknown"
    simulated: bool = False
    outcome: Outcome = "failed"
    changes: list[str] = field(default_factory=list)
    release: str | None = None
    previous: str | None = None
    phases: list[Phase] = field(default_factory=list)
    wave: int = 1
    error: Trouble | None = None
    smoke: dict[str, Any] | None = None
    deployment: str | None = None
    """What was recorded on the host when it was deployed: the name of that deployment, for a rollback of just that."""
    undone: str | None = None
    """How the host is after an undo, in words; None where nothing had to be undone."""

    @property
    def ok(self) -> bool:
        return self.outcome in ("unchanged", "deployed")

    def fail(self, outcome: Outcome, trouble: Trouble) -> None:
        """Say how it ended; the first trouble is the one that counts."""
        self.outcome = outcome
        self.error = self.error or trouble


def document(run: str, reports: Sequence[HostReport], schema: str = SCHEMA) -> dict[str, Any]:
    """``edgeops deploy --json``; the other commands that change hosts have the same shape under a name of their own."""
    hosts = [{key: value for key, value in asdict(report).items() if key != "undone"} for report in reports]
    return {"schema": schema, "run": run, "ok": all(report.ok for report in reports), "hosts": hosts}


def report_of(entry: Mapping[str, Any]) -> HostReport:
    """A report from its own ``asdict``. Raises KeyError, TypeError or ValueError for anything else."""
    error, phases = entry["error"], [Phase(**phase) for phase in entry["phases"]]
    trouble = Trouble(**{**error, "log_tail": tuple(error["log_tail"])}) if error else None
    return HostReport(**{**entry, "error": trouble, "phases": phases})


def exit_code(reports: Sequence[HostReport]) -> int:
    """0 all well; otherwise the gravest: 1 failed, 4 rolled back, 5 locked, 3 a requirement failed, 1 not begun."""
    ends = {_end(report) for report in reports if not report.ok}
    return next((code for end, code in _CODES if end in ends), 0)


_CODES = (("failed", 1), ("rolled_back", 4), ("locked", 5), ("refused", 3), ("skipped", 1))


def _end(report: HostReport) -> str:
    return "locked" if report.error and report.error.phase == "lock" else report.outcome
