"""What a rollout does on one host: a deploy, and for one that an interrupted part of it left unmeasured, the rest."""

from __future__ import annotations

from collections.abc import Callable

from edgeops.deployment import deploy_host
from edgeops.deployment.context import RolledBack, StartFailed, Work
from edgeops.deployment.report import HostReport
from edgeops.rollback import roll_back_host
from edgeops.rollout.rules import Rollout


def deploying(rollout: Rollout) -> Callable[[Work], None]:
    """The work on each host of ``rollout``."""

    def act(work: Work) -> None:
        earlier = rollout.cut_off.get(work.report.host)
        if earlier is None:
            deploy_host(work)
        else:
            finish(work, earlier)

    return act


def finish(work: Work, earlier: HostReport) -> None:
    """Measure and gate what ``earlier`` deployed. It goes back where it fails, as it would have then."""
    try:
        deploy_host(work)
    except StartFailed as refused:
        roll_back_host(work, None, only=earlier.deployment)
        raise RolledBack(f"{refused.message}. Rolled back to release {work.report.release}.", refused.remedy) from None
    if work.report.outcome == "unchanged":
        work.report.outcome, work.report.changes = "deployed", earlier.changes
        work.report.previous, work.report.deployment = earlier.previous, earlier.deployment
