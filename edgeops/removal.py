"""``edgeops remove``: the host as it was before edgeops, and a list of what is left."""

from __future__ import annotations

from contextlib import ExitStack

from edgeops import layout
from edgeops.deployment.context import Work
from edgeops.deployment.planning import ask
from edgeops.deployment.survey import survey
from edgeops.errors import EdgeopsError
from edgeops.lock import locked
from edgeops.quoting import shell

PLACES = (layout.UNIT_FILE, layout.ROOT, layout.CONFIGURATION, layout.RECORDS, layout.HOME)


def remove_host(work: Work, *, models: bool) -> None:
    """Stop the service and take away everything of ours; staged ``models`` only when asked. Proves that it is gone."""
    ask(work)
    there, drop_ins = _there(work), tuple(survey(work.session).drop_ins)
    if not there:
        work.report.outcome = "unchanged"
        return
    changes = [_change(path, models) for path in there]
    if work.options.dry_run:
        work.report.changes, work.report.outcome = changes, "unchanged"
        return
    with ExitStack() as held:
        with work.log.phase("lock"):
            held.enter_context(locked(work.session, work.claim, work.steal))
        work.report.changes = changes
        with work.log.phase("remove") as notes:
            work.session.deploy("remove", edgeops_remove_models=models)
            left = _there(work)
            if surprising := [path for path in left if path != layout.HOME or models]:
                raise EdgeopsError(f"still there: {', '.join(surprising)}", "Look who holds them with `fuser`.")
            kept = [f"models in {layout.MODELS}"] if left else []
            kept += [f"{path}, which is the administrator's" for path in drop_ins]
            notes.detail = f"left: {', '.join(kept)}" if kept else "nothing of edgeops is left"
    work.report.release, work.report.outcome = None, "deployed"


def _change(path: str, models: bool) -> str:
    if path == layout.HOME:
        what = "with the models" if models else f"but for {layout.MODELS}"
        return f"remove {path}, {what}, and the user {layout.USER}"
    return f"remove {path}"


def _there(work: Work) -> list[str]:
    answer = work.session.run(f"for path in {shell(*PLACES)}; do [ -e $path ] && echo $path; done", sudo=True)
    return answer.out.split()
