"""A rollout from the command line: rules out of options, questions between waves, the result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from edgeops import engine, lock
from edgeops.bench.gates import Gate, parse_all
from edgeops.cli.changing import show
from edgeops.cli.options import Common
from edgeops.cli.story import Story
from edgeops.deployment import Options, Reach
from edgeops.deployment.context import SmokeChoice
from edgeops.engine import Access
from edgeops.errors import ConfigurationError
from edgeops.inventory import Host, choose
from edgeops.rollout import Rollout, Rules, begin, proceed, take_up
from edgeops.rollout.journal import reopen
from edgeops.rollout.rules import Audience, OnStop
from edgeops.rollout.waves import read_batches, read_canary, read_share


@dataclass(frozen=True)
class Call:
    """The options of one ``edgeops deploy``."""

    target: str | None
    access: Access
    smoke: SmokeChoice
    dry_run: bool
    canary: str | None
    batches: str | None
    max_fail: str
    pause: float
    approve: bool
    on_stop: OnStop
    resume: str | None
    steal_lock: bool
    events: Path | None
    gates: tuple[Gate, ...] = ()
    distribute: bool = False


def roll(common: Common, call: Call) -> None:
    """Begin a rollout or take one up again, go through it, say how it ended."""
    if bool(call.target) == bool(call.resume):
        wrong = "--resume takes its TARGET from the run" if call.target else "Missing argument 'TARGET'"
        raise click.UsageError(f"{wrong}: a host, a group, a glob or all.")
    if call.events and not call.events.parent.is_dir():
        raise ConfigurationError(f"--events {call.events}: there is no directory {call.events.parent}")
    reach = Reach(call.access, common.parallel)
    hosts, rules, rollout = _resumed(common, call) if call.resume else _begun(common, call, reach)
    rollout.journal.extra = call.events
    if call.steal_lock:
        rollout.batch.steal = _shown_locks(hosts, reach, common)
    with Story(common, [host.name for host in hosts], rollout.plan.waves) as story:
        proceed(rollout, hosts, rules, reach, Audience(story.tell, story.say, story.ask))
    if rollout.stopped:
        click.echo(f"The rollout stopped: {rollout.stopped}", err=True)
    show(common, rollout.batch, rollout.result())


def _rules(call: Call) -> Rules:
    if not math.isfinite(call.pause):
        raise ConfigurationError(f"--pause {call.pause} is no number of seconds", "--approve waits for your word.")
    return Rules(
        canary=read_canary(call.canary),
        batches=read_batches(call.batches),
        max_fail=read_share(call.max_fail, "--max-fail"),
        pause_s=call.pause,
        on_stop=call.on_stop,
        approve=call.approve,
    )


def _begun(common: Common, call: Call, reach: Reach) -> tuple[Sequence[Host], Rules, Rollout]:
    hosts, rules = choose(common.inventory, call.target), _rules(call)
    options = Options(call.smoke, call.dry_run, call.gates, distribute=call.distribute)
    return hosts, rules, begin(hosts, str(call.target), rules, options, reach)


def _resumed(common: Common, call: Call) -> tuple[Sequence[Host], Rules, Rollout]:
    """What was decided at the beginning holds, whatever is said now: it is the same rollout."""
    run, plan, ended = reopen(str(call.resume))
    hosts = choose(common.inventory, plan.target)
    names = {host.name for host in hosts}
    if missing := [name for wave in plan.waves for name in wave if name not in names]:
        raise ConfigurationError(f"{', '.join(missing)} of {run.name} is no longer in the inventory")
    known = [host for host in hosts if host.name in plan.settings]
    rules = replace(_rules(call), **plan.rules)
    gates = parse_all(plan.options["gates"])
    options = Options(plan.options["smoke"], gates=gates, distribute=bool(plan.options.get("distribute")))
    return known, rules, take_up(run, plan, ended, known, options)


def _shown_locks(hosts: Sequence[Host], reach: Reach, common: Common) -> dict[str, str]:
    """The locks that are held now, after the operator has seen and agreed to take them: host to token."""
    results = engine.run(hosts, lock.holder, deadline=60, parallel=reach.parallel, access=reach.access)
    held = {name: result.value for name, result in results.items() if result.value is not None}
    for name, holder in held.items():
        click.echo(f"{name}: locked by {holder}", err=True)
    if held and not common.yes:
        click.confirm("Take these locks? Whoever holds them loses them in the middle of the work", abort=True, err=True)
    return {name: holder.token for name, holder in held.items()}
