"""What is known about one host while it is being deployed, and the words for how it can end early."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from edgeops.deployment.phases import PhaseLog
from edgeops.deployment.plan import Change
from edgeops.deployment.report import HostReport
from edgeops.deployment.survey import Found
from edgeops.engine import Session
from edgeops.errors import EdgeopsError, GateError, RequirementError
from edgeops.requirements import Verdict
from edgeops.settings import Settings
from edgeops.snapshot.facts import Facts

SmokeChoice = Literal["changed", "always", "never"]


@dataclass(frozen=True)
class Options:
    """``smoke``: measure what was changed, always, or never. ``dry_run``: say what would be changed."""

    smoke: SmokeChoice = "changed"
    dry_run: bool = False


class Refused(RequirementError):
    """Requirements failed; nothing was changed. ``verdicts`` are the failed ones."""

    def __init__(self, message: str, remedy: str, verdicts: tuple[Verdict, ...]) -> None:
        super().__init__(message, remedy)
        self.verdicts = verdicts


class StartFailed(EdgeopsError):
    """The new service did not come up, or is not what was asked for. ``log`` holds its last lines."""

    def __init__(self, message: str, remedy: str = "", log: tuple[str, ...] = ()) -> None:
        super().__init__(message, remedy)
        self.log = log


class RolledBack(GateError):
    """The former service is back and verified; the message says why the new one had to go, ``log`` what it said
    last."""

    def __init__(self, message: str, remedy: str = "", log: tuple[str, ...] = ()) -> None:
        super().__init__(message, remedy)
        self.log = log


@dataclass
class Work:
    """One host's deploy. ``state`` is what was recorded after the last verified one ({} where there was none)."""

    session: Session
    options: Options
    log: PhaseLog
    report: HostReport
    facts: Facts | None = None
    state: Mapping[str, Any] = field(default_factory=dict)
    found: Found = field(default_factory=Found)
    changes: tuple[Change, ...] = ()

    @property
    def settings(self) -> Settings:
        return self.session.host.settings


def log_tail(error: BaseException) -> tuple[str, ...]:
    """The last lines of what ``error`` carries from the host, at most 20."""
    log = getattr(error, "log", ())
    return tuple(log.splitlines() if isinstance(log, str) else log)[-20:]
