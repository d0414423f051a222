"""What became of one host, filled in as it is prepared, so that an interruption still leaves a true account."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from edgeops.deployment.phases import Phase
from edgeops.requirements import Verdict

SCHEMA = "edgeops.prepare/1"
LOCK = "lock"
"""The phase in which a host is locked against other operators."""
Outcome = Literal["unchanged", "prepared", "failed", "refused"]


@dataclass(frozen=True)
class Trouble:
    """Why a host was not prepared: the phase, a sentence and what to do."""

    phase: str
    message: str
    remedy: str = ""


@dataclass
class HostReport:
    """One host's part of the result. ``left`` are the failures and warnings that remain for somebody else to mend."""

    host: str
    platform: str = "unknown"
    simulated: bool = False
    outcome: Outcome = "failed"
    changes: list[str] = field(default_factory=list)
    left: list[Verdict] = field(default_factory=list)
    error: Trouble | None = None
    phases: list[Phase] = field(default_factory=list)

    @property
    def phase(self) -> str:
        """The phase that failed, else the last one."""
        failed = [phase.name for phase in self.phases if phase.status == "failed"]
        return (failed or [phase.name for phase in self.phases] or ["connect"])[-1]

    @property
    def ok(self) -> bool:
        return self.outcome in ("unchanged", "prepared")

    def fail(self, outcome: Outcome, trouble: Trouble) -> None:
        """Say how it ended; the first trouble is the one that counts."""
        self.outcome, self.error = outcome, self.error or trouble


def document(reports: Sequence[HostReport]) -> dict[str, Any]:
    """``edgeops prepare --json``: schema edgeops.prepare/1."""
    return {"schema": SCHEMA, "ok": all(report.ok for report in reports), "hosts": [_host(one) for one in reports]}


def exit_code(reports: Sequence[HostReport]) -> int:
    """0 all well; the gravest otherwise: 1 failed, 5 locked by somebody else, 3 refused before anything was
    installed."""
    ends = {_end(report) for report in reports if not report.ok}
    return next((code for end, code in (("failed", 1), ("locked", 5), ("refused", 3)) if end in ends), 0)


def _end(report: HostReport) -> str:
    return "locked" if report.error and report.error.phase == LOCK else report.outcome


def _host(report: HostReport) -> dict[str, Any]:
    left = [{"id": v.id, "status": v.status, "found": v.found, "remedy": v.remedy} for v in report.left]
    return {**asdict(report), "left": left}
