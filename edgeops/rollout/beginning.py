"""Before the first host is touched: the waves are decided and written down, or an earlier run's are taken up again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from edgeops import engine
from edgeops.deployment import Batch, Options, Reach
from edgeops.deployment.report import HostReport
from edgeops.inventory import Host
from edgeops.requirements import platform_of, refuse_unknown_ids
from edgeops.rollout.journal import Journal, Plan, keep_plan, refuse_changed_settings, settings_digest
from edgeops.rollout.rules import Rollout, Rules
from edgeops.rollout.waves import plan_waves
from edgeops.runs import Run, new_run
from edgeops.snapshot.facts import Facts, facts_of
from edgeops.snapshot.script import take

_DONE = ("deployed", "unchanged")
_PROBE_DEADLINE_S = 180.0


def begin(hosts: Sequence[Host], target: str, rules: Rules, options: Options, reach: Reach) -> Rollout:
    """Decide the waves and write the plan down. Asks the hosts what they are where the canary depends on it."""
    for host in hosts:
        refuse_unknown_ids(host.settings)
    kinds = kinds_of(hosts, reach) if rules.canary.per_kind else {}
    waves = plan_waves([host.name for host in hosts], kinds, rules.canary, rules.batches)
    plan = Plan(
        target,
        tuple(tuple(wave) for wave in waves),
        bool(rules.canary),
        _kept_options(rules, options),
        {host.name: settings_digest(host) for host in hosts},
    )
    run = new_run("deploy")
    if not options.dry_run:
        keep_plan(run, plan)
    return _rollout(run, plan, options)


def take_up(run: Run, plan: Plan, ended: Mapping[str, HostReport], hosts: Sequence[Host], options: Options) -> Rollout:
    """A run that was cut off, with what is known of it. Raises ConfigurationError where the settings moved."""
    refuse_changed_settings(plan, hosts)
    done = {name: report for name, report in ended.items() if report.outcome in _DONE}
    cut_off = {} if options.smoke == "never" else {name: one for name, one in done.items() if one.error}
    rollout = _rollout(run, plan, replace(options, unmeasured=frozenset(cut_off)))
    rollout.batch.reports = {name: report for name, report in done.items() if name not in cut_off}
    rollout.cut_off = cut_off
    return rollout


def _rollout(run: Run, plan: Plan, options: Options) -> Rollout:
    journal = Journal(run, silent=options.dry_run)
    return Rollout(Batch(run, options, ended=journal.ended), plan, journal)


def kinds_of(hosts: Sequence[Host], reach: Reach) -> dict[str, str]:
    """Platform and hardware of each host that answers, as one word. Changes nothing on them."""
    results = engine.run(hosts, take, deadline=180, parallel=reach.parallel, access=reach.access)
    kinds = {}
    for name, result in results.items():
        if result.value is not None:
            kinds[name] = kind_of(facts_of(result.value))
    return kinds


def kind_of(facts: Facts) -> str:
    """Platform and hardware, as one word: each kind has a canary of its own."""
    return f"{platform_of(facts)}/{facts.product_name or facts.device_model or facts.capability}"


def _kept_options(rules: Rules, options: Options) -> dict[str, Any]:
    return {
        "smoke": options.smoke,
        "gates": [gate.text for gate in options.gates],
        "distribute": options.distribute,
        "max_fail": asdict(rules.max_fail),
        "on_stop": rules.on_stop,
        "pause_s": rules.pause_s,
    }
