"""What became of one host, filled in as it is prepared, so that an interruption still leaves a true account."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from edgeops.deployment.phases import Phase
from edgeops.requirements import Verdict

SCHEMA = "edgeops.prepare/1"
Outcome = Literal["unchanged", "prepared", "failed", "refused"]


@dataclass(frozen=True)
class Trouble:
    """Why a host was not prepared: a sentence and what to do."""

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
    def ok(self) -> bool:
        return self.outcome in ("unchanged", "prepared")

    def fail(self, outcome: Outcome, trouble: Trouble) -> None:
        """Say how it ended; the first trouble is the one that counts."""
        self.outcome, self.error = outcome, self.error or trouble


def document(reports: Sequence[HostReport]) -> dict[str, Any]:
    """``edgeops prepare --json``: schema edgeops.prepare/1."""
    return {"schema": SCHEMA, "ok": all(report.ok for report in reports), "hosts": [_host(one) for one in reports]}


def exit_code(reports: Sequence[HostReport]) -> int:
    """0 all well; 3 hosts were refused and nothing else went wrong; 1 anything else."""
    outcomes = {report.outcome for report in reports if not report.ok}
    if not outcomes:
        return 0
    return 1 if "failed" in outcomes else 3


def _host(report: HostReport) -> dict[str, Any]:
    left = [{"id": v.id, "status": v.status, "found": v.found, "remedy": v.remedy} for v in report.left]
    return {**asdict(report), "left": left}
