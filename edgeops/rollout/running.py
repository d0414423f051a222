"""Through the waves, one after the other; within one, side by side."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace

from edgeops.deployment import Reach
from edgeops.deployment.hosts import on_hosts
from edgeops.deployment.phases import Listener, Phase
from edgeops.deployment.report import HostReport, Trouble
from edgeops.inventory import Host
from edgeops.lock import Claim
from edgeops.rollout.acting import deploying
from edgeops.rollout.canary import gate_of
from edgeops.rollout.journal import Journal, alone
from edgeops.rollout.reserving import reserved
from edgeops.rollout.rules import Audience, Rollout, Rules
from edgeops.rollout.stopping import put_back, skip_the_rest, why_stop


def proceed(rollout: Rollout, hosts: Sequence[Host], rules: Rules, reach: Reach, audience: Audience) -> None:
    """Go through the waves that are not done. What goes wrong on a host is its report; one stop skips the rest."""
    audience = replace(audience, phase=_kept(rollout.journal, audience.phase))
    if rollout.plan.canary:
        gate = gate_of(rollout.plan.waves[0], rollout.batch.hosts)
        rollout.batch.options = replace(rollout.batch.options, gate=gate)
    if done := list(rollout.batch.reports):
        audience.sentence(f"done in an earlier part of the run, and not looked at again: {', '.join(done)}")
    by_name = {host.name: host for host in hosts}
    dry_run = rollout.batch.options.dry_run
    try:
        with nullcontext() if dry_run else alone(rollout.batch.run), _locked_together(rollout, hosts, reach, audience):
            for number in range(1, len(rollout.plan.waves) + 1):
                if rollout.stopped or not _go_through(rollout, number, by_name, rules, reach, audience):
                    break
    except KeyboardInterrupt:  # while nothing but the locking or a pause was going on
        rollout.batch.interrupted = True
    skip_the_rest(rollout)
    if not dry_run:
        rollout.batch.run.write("deploy.json", rollout.result())


@contextmanager
def _locked_together(rollout: Rollout, hosts: Sequence[Host], reach: Reach, audience: Audience) -> Iterator[None]:
    """With several waves all hosts are locked first, or none is changed; one wave locks each host for its own work."""
    batch, waves = rollout.batch, rollout.plan.waves
    todo = [host for host in hosts if host.name not in batch.reports]
    if len(waves) < 2 or batch.options.dry_run or not todo:
        yield
        return
    claim = Claim("rollout", batch.run.name)
    audience.sentence(f"locking {len(todo)} hosts, until the last wave is done")
    with reserved(todo, claim, batch.steal, reach) as others:
        batch.claim = replace(claim, kept=True)
        for name, error in others.items():
            batch.reports[name] = HostReport(name, wave=_wave_of(name, waves))
            batch.reports[name].fail("skipped", Trouble("lock", error.message, error.remedy))
        if others:
            rollout.stopped = f"{', '.join(others)}: {next(iter(others.values())).message}"
        yield


def _wave_of(name: str, waves: Sequence[Sequence[str]]) -> int:
    return next(number for number, wave in enumerate(waves, 1) if name in wave)


def _go_through(
    rollout: Rollout, number: int, by_name: Mapping[str, Host], rules: Rules, reach: Reach, audience: Audience
) -> bool:
    """One wave; whether the next may follow."""
    wave = rollout.plan.waves[number - 1]
    rollout.journal.waves |= dict.fromkeys(wave, number)
    todo = [by_name[name] for name in wave if name not in rollout.batch.reports]
    if todo and not _may_begin(rollout, number, rules, audience):
        return False
    if todo and _is_told(rollout, number, todo, audience):
        on_hosts(todo, deploying(rollout), rollout.batch, reach, audience.phase, number)
    if rollout.batch.interrupted:
        return False
    if reason := rollout.journal.broken or why_stop(rollout, number, rules):
        rollout.stopped = reason
        _stop(rollout, number, by_name, rules, reach, audience.phase)
    return not rollout.stopped


def _may_begin(rollout: Rollout, number: int, rules: Rules, audience: Audience) -> bool:
    waves = rollout.plan.waves
    begun = [wave for wave in waves[: number - 1] if any(name in rollout.batch.reports for name in wave)]
    if not begun:
        return True
    done = f"wave {number - 1} of {len(waves)} is done"
    if rules.pause_s:
        audience.sentence(f"{done}; the next begins in {rules.pause_s:g} s")
        time.sleep(rules.pause_s)
    if not rules.approve or audience.agrees(f"{done[0].upper()}{done[1:]}. Go on?"):
        return True
    rollout.stopped, rollout.declined = f"not approved after wave {number - 1}", True
    return False


def _is_told(rollout: Rollout, number: int, todo: Sequence[Host], audience: Audience) -> bool:
    """Write down and say that the wave begins; whether that could be written."""
    names = [host.name for host in todo]
    rollout.journal.said("wave", wave=number, hosts=names)
    if len(rollout.plan.waves) > 1:
        audience.sentence(f"wave {number} of {len(rollout.plan.waves)}: {', '.join(names)}")
    return not rollout.journal.broken


def _stop(
    rollout: Rollout, number: int, by_name: Mapping[str, Host], rules: Rules, reach: Reach, listen: Listener
) -> None:
    """Say why, and put the wave's other hosts back where that is the rule."""
    rollout.journal.said("stopped", reason=rollout.stopped, on_stop=rules.on_stop)
    wave = rollout.plan.waves[number - 1]
    reports = rollout.batch.reports
    changed = [by_name[name] for name in wave if name in reports and reports[name].outcome == "deployed"]
    if changed and rules.on_stop == "rollback" and not rollout.batch.options.dry_run:
        put_back(rollout, changed, reach, listen)


def _kept(journal: Journal, tell: Listener) -> Listener:
    def listen(host: str, phase: Phase) -> None:
        journal.phase(host, phase)
        tell(host, phase)

    return listen
