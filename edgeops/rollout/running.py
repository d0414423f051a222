"""Through the waves, one after the other; within one, side by side."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from edgeops.deployment import Reach, deploy_host
from edgeops.deployment.hosts import on_hosts
from edgeops.deployment.phases import Listener, Phase
from edgeops.inventory import Host
from edgeops.rollout.canary import CanaryGate
from edgeops.rollout.journal import Journal
from edgeops.rollout.rules import Rollout, Rules
from edgeops.rollout.stopping import put_back, skip_the_rest, why_stop


def proceed(rollout: Rollout, hosts: Sequence[Host], rules: Rules, reach: Reach, tell: Listener) -> None:
    """Go through the waves that are not done. What goes wrong on a host is its report; one stop skips the rest."""
    by_name = {host.name: host for host in hosts}
    listen = _kept(rollout.journal, tell)
    if rollout.plan.canary:
        gate = CanaryGate(frozenset(rollout.plan.waves[0]))
        rollout.batch.options = replace(rollout.batch.options, gate=gate)
    for number, wave in enumerate(rollout.plan.waves, 1):
        rollout.journal.waves |= dict.fromkeys(wave, number)
        todo = [by_name[name] for name in wave if name not in rollout.batch.reports]
        if todo and not _may_begin(rollout, number, rules):
            break
        _run_wave(rollout, todo, number, reach, listen)
        if rollout.batch.interrupted:
            break
        if reason := why_stop(rollout, number, rules):
            rollout.stopped = reason
            _stop(rollout, number, by_name, rules, reach, listen)
            break
    skip_the_rest(rollout)
    if not rollout.batch.options.dry_run:
        rollout.batch.run.write("deploy.json", rollout.result())


def _may_begin(rollout: Rollout, number: int, rules: Rules) -> bool:
    begun = [wave for wave in rollout.plan.waves[: number - 1] if any(name in rollout.batch.reports for name in wave)]
    if not begun:
        return True
    if rules.pause_s:
        time.sleep(rules.pause_s)
    if rules.between(number - 1, len(rollout.plan.waves)):
        return True
    rollout.stopped = f"not approved after wave {number - 1}"
    return False


def _run_wave(rollout: Rollout, todo: Sequence[Host], number: int, reach: Reach, listen: Listener) -> None:
    if not todo:
        return
    rollout.journal.said("wave", wave=number, hosts=[host.name for host in todo])
    on_hosts(todo, deploy_host, rollout.batch, reach, listen, number)
    for host in todo:
        rollout.journal.ended(rollout.batch.reports[host.name])


def _stop(
    rollout: Rollout, number: int, by_name: Mapping[str, Host], rules: Rules, reach: Reach, listen: Listener
) -> None:
    """Say why, and put the wave's other hosts back where that is the rule."""
    rollout.journal.said("stopped", reason=rollout.stopped, on_stop=rules.on_stop)
    wave = rollout.plan.waves[number - 1]
    changed = [by_name[name] for name in wave if rollout.batch.reports[name].outcome == "deployed"]
    if changed and rules.on_stop == "rollback" and not rollout.batch.options.dry_run:
        put_back(rollout, changed, reach, listen)


def _kept(journal: Journal, tell: Listener) -> Listener:
    def listen(host: str, phase: Phase) -> None:
        journal.phase(host, phase)
        tell(host, phase)

    return listen
