"""What is known about one host while it is being deployed, and the words for how it can end early."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from edgeops.bench.gates import Gate
from edgeops.deployment.phases import PhaseLog
from edgeops.deployment.plan import Change
from edgeops.deployment.report import HostReport
from edgeops.deployment.survey import Found
from edgeops.engine import Session
from edgeops.errors import EdgeopsError, GateError, RequirementError
from edgeops.lock import Claim, Holder
from edgeops.requirements import Verdict
from edgeops.runs import Run
from edgeops.settings import Settings
from edgeops.snapshot.facts import Facts

SmokeChoice = Literal["changed", "always", "never"]


@dataclass(frozen=True)
class Options:
    """``smoke``: measure what was changed, always, or never. ``dry_run``: say what would be changed.

    ``distribute``: wheels and models come from this machine, not from an index, the hub or the host's own disk.

    ``gates`` must hold for the measurement. ``gate`` is called with a host's measured work as well, and raises where
    the host must go back.
    """

    smoke: SmokeChoice = "changed"
    dry_run: bool = False
    gates: tuple[Gate, ...] = ()
    gate: Callable[[Work], None] = lambda _work: None
    distribute: bool = False
    unmeasured: frozenset[str] = frozenset()
    """Hosts that an earlier part of the run has changed and did not come to measure."""


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
    """One host's deploy, as far as it is known."""

    session: Session
    options: Options
    log: PhaseLog
    report: HostReport
    run: Run
    claim: Claim
    facts: Facts | None = None
    found: Found = field(default_factory=Found)
    changes: tuple[Change, ...] = ()
    steal: str | None = None
    holder: Holder | None = None
    """Who held the host's lock when it was last looked at."""
    serves: str = ""
    """How what was deployed decodes, once it is recorded."""
    began: bool = False
    """Whether anything on the host was changed, or tried."""

    @property
    def settings(self) -> Settings:
        return self.session.host.settings


def log_tail(error: BaseException) -> tuple[str, ...]:
    """The last lines of what ``error`` carries from the host, at most 20."""
    log = getattr(error, "log", ())
    return tuple(log.splitlines() if isinstance(log, str) else log)[-20:]
