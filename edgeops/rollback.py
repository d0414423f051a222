"""``edgeops rollback``: back to an earlier deployment that is still on the host, verified, without the network."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import ExitStack
from typing import Any

from edgeops import layout
from edgeops.deployment import recording, serving
from edgeops.deployment.context import Work
from edgeops.deployment.flow import bring_up, decoding, note_in_audit
from edgeops.deployment.planning import ask
from edgeops.deployment.survey import survey
from edgeops.deployment.undoing import undone_on_failure
from edgeops.errors import EdgeopsError
from edgeops.lock import locked, still_held

Entry = Mapping[str, Any]


def roll_back_host(work: Work, to: str | None, only: str | None = None) -> None:
    """Bring back the deployment before this one, or the newest of ``to``, and fill in the report.

    What serves now is put back when the earlier one does not come up. ``only``: nothing is done where another
    deployment serves than that one. Raises EdgeopsError.
    """
    ask(work)
    with ExitStack() as held:
        with work.log.phase("lock"):
            held.enter_context(locked(work.session, work.claim, work.steal))
        try:
            _go_back(work, to, only)
        finally:
            note_in_audit(work, "rollback")


def _go_back(work: Work, to: str | None, only: str | None) -> None:
    with work.log.phase("plan") as notes:
        work.found = survey(work.session)
        if (now := there_already(work.found.state, to, only)) is not None:
            notes.detail, work.report.outcome = f"serves {_called(now)}", "unchanged"
            return
        target = choose(work.found.state, to, work.found.deployments)
        notes.detail = _called(target)
        work.report.changes = [f"roll back to {_called(target)}"]
    if work.options.dry_run:
        work.report.outcome = "unchanged"
        return
    work.began = True
    entry = dict(work.found.deployments[target["deployment"]])
    known = serving.recorded(entry, work.settings.ready_timeout_s)
    if known is None:
        raise EdgeopsError(f"the record of {_called(target)} cannot be read", "Deploy that version again instead.")
    if str(target["release"]) not in work.found.releases:
        raise EdgeopsError(f"the release of {_called(target)} is gone from the host", "Deploy that version instead.")
    directory = f"{layout.DEPLOYMENTS}/{target['deployment']}"

    def put_back() -> None:
        work.session.deploy("rollback", edgeops_deployment=directory)

    with undone_on_failure(work):
        bring_up(work, known, put_back)
        with work.log.phase("record"):
            still_held(work.session, work.claim)
            recording.write(work, {**entry, "deployment": target["deployment"], **recording.surroundings(work)})
        work.serves = decoding(target.get("method"), target.get("k"))
        work.report.release, work.report.outcome = str(target["release"]), "deployed"


def there_already(state: Mapping[str, Any], to: str | None, only: str | None = None) -> Entry | None:
    """The deployment that serves now, where it is what ``to`` asks for, or is not the one that is to go: a second run
    changes nothing.
    """
    current = next(iter(recording.entries(state)), None)
    if current is None:
        return None
    gone = only is not None and current["deployment"] != only
    return current if gone or (to is not None and to in _names(current)) else None


def choose(state: Mapping[str, Any], to: str | None, there: Collection[str]) -> Entry:
    """The entry of the record's history to go back to; ``there`` are the deployments kept on the host.

    ``to`` is a deployment, a release or a version; None means the one before this one. Raises EdgeopsError.
    """
    current, *older = recording.entries(state) or [{}]
    possible = [entry for entry in older if entry["deployment"] in there]
    wanted = [entry for entry in possible if to is None or to in _names(entry)]
    if wanted:
        return wanted[0]
    known = ", ".join(_called(entry) for entry in possible) or "none"
    what = f"no earlier deployment {to!r} is kept" if to else "no earlier deployment is kept"
    raise EdgeopsError(f"{what} (now: {_called(current) if current else 'nothing'})", f"Kept: {known}.")


def _names(entry: Entry) -> tuple[Any, ...]:
    return entry["deployment"], entry["release"], entry.get("version")


def _called(entry: Entry) -> str:
    return f"{entry['deployment']} (release {entry['release']}, {decoding(entry.get('method'), entry.get('k'))})"
