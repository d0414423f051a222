"""When a rollout must not go on, and what happens then to the hosts of its last wave and to those not begun."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from edgeops.deployment import Batch, Reach
from edgeops.deployment.context import Work
from edgeops.deployment.hosts import on_hosts
from edgeops.deployment.phases import Listener
from edgeops.deployment.report import HostReport, Trouble
from edgeops.inventory import Host
from edgeops.rollback import roll_back_host
from edgeops.rollout.rules import Rollout, Rules


def why_stop(rollout: Rollout, number: int, rules: Rules) -> str:
    """A sentence where the rollout must not go on after wave ``number``; empty where it may."""
    wave = rollout.plan.waves[number - 1]
    failed = [report for report in rollout.batch.hosts if not report.ok]
    here = [report for report in failed if report.host in wave]
    if not here or (len(rollout.plan.waves) == 1 and not rollout.plan.canary):
        return ""  # one wave of everything: there is nothing to stop, and each host has its own undo
    first = here[0]
    cause = f"{first.host}: {first.error.message if first.error else first.outcome}"
    if number == 1 and rollout.plan.canary:
        return f"the canary failed: {cause}"
    total = sum(len(names) for names in rollout.plan.waves)
    allowed = rules.max_fail.of(total)
    of_wave = rules.max_fail.of(len(wave)) if rules.max_fail.percent else allowed
    if len(failed) > allowed:
        return f"{len(failed)} of {total} hosts failed, {allowed} may: {cause}"
    if len(here) > of_wave:
        return f"{len(here)} of the {len(wave)} hosts of wave {number} failed, {of_wave} may: {cause}"
    return ""


def put_back(rollout: Rollout, hosts: Sequence[Host], reach: Reach, listen: Listener) -> None:
    """Roll ``hosts``, which were changed in the wave that stopped the rollout, back to what they served before."""
    options = replace(rollout.batch.options, smoke="never")
    reports = rollout.batch.reports

    def note(ended: HostReport) -> None:
        _note_put_back(reports[ended.host], ended, rollout)
        rollout.journal.ended(reports[ended.host])

    def go_back(work: Work) -> None:
        roll_back_host(work, None, only=reports[work.report.host].deployment)

    back = Batch(rollout.batch.run, options, "rollback", claim=rollout.batch.claim, ended=note)
    on_hosts(hosts, go_back, back, reach, listen)
    rollout.batch.interrupted |= back.interrupted


def _note_put_back(report: HostReport, back: HostReport, rollout: Rollout) -> None:
    if back.ok:
        report.outcome, report.release = "rolled_back", back.release
        report.error = Trouble("rollout", f"put back with its wave: {rollout.stopped}")
        return
    why = back.error.message if back.error else back.outcome
    report.error = Trouble(
        "rollout",
        f"the rollout stopped ({rollout.stopped}), and this host was not put back: it has what was rejected ({why})",
        f"Go on with `edgeops deploy --resume {rollout.batch.run.name}`, or `edgeops rollback {report.host}`.",
    )


def skip_the_rest(rollout: Rollout) -> None:
    """Say of every host that was not begun why not."""
    reason = "interrupted" if rollout.batch.interrupted else rollout.stopped
    resumed = f"Go on with `edgeops deploy --resume {rollout.batch.run.name}`."
    remedy = resumed if rollout.may_be_resumed else "Mend the cause and run the same command again."
    for number, wave in enumerate(rollout.plan.waves, 1):
        for name in wave:
            if name not in rollout.batch.reports:
                trouble = Trouble("rollout", f"not begun: {reason}", remedy)
                rollout.batch.reports[name] = HostReport(name, outcome="skipped", wave=number, error=trouble)
