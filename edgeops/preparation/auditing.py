"""The line in a host's audit log about what was prepared there."""

from __future__ import annotations

import sys

from edgeops import audit
from edgeops.deployment.phases import sentence
from edgeops.engine import Session
from edgeops.lock import Claim
from edgeops.preparation.flow import HostPlan


def note_in_audit(session: Session, plan: HostPlan, claim: Claim) -> None:
    """What became of the host, where an installation was begun; also on the way out of an error."""
    error = sys.exc_info()[1]
    if not plan.began:
        return
    entry = audit.Entry(
        what="prepare",
        outcome=plan.report.outcome if error is None else "failed",
        who=audit.who(claim),
        run=claim.run,
        why=sentence(error) if error else "",
        changes=tuple(plan.report.changes),
        accepted=session.host.settings.accept,
    )
    audit.note(session, entry)
