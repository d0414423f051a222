"""What the commands that change hosts have in common: choose, tell the story, print the result, exit."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import click
from rich.console import Console

from edgeops.cli.options import Common
from edgeops.cli.story import Story
from edgeops.deployment import Batch, Options, Reach, document, exit_code
from edgeops.deployment.context import Work
from edgeops.deployment.hosts import on_hosts
from edgeops.engine import Access
from edgeops.inventory import choose
from edgeops.report import deployment as text
from edgeops.runs import new_run


def run_and_show(
    common: Common, target: str, kind: str, act: Callable[[Work], None], *, access: Access, dry_run: bool
) -> None:
    """Do ``act`` on every host of ``target`` and say what became of each; ends the command with its exit code."""
    hosts = choose(common.inventory, target)
    batch = Batch(new_run(kind), Options("never", dry_run), kind)
    with Story(common, [host.name for host in hosts]) as story:
        on_hosts(hosts, act, batch, Reach(access, common.parallel), story.tell)
    result = document(batch.run.name, batch.hosts, f"edgeops.{kind}/1")
    if not dry_run:
        batch.run.write(f"{kind}.json", result)
    show(common, batch, result)


def show(common: Common, batch: Batch, result: dict[str, Any]) -> None:
    """Print the result and end the command."""
    if common.json:
        click.echo(json.dumps(result, indent=2))
    else:
        refusals = [(host, [asdict(verdict) for verdict in verdicts]) for host, verdicts in batch.refusals.items()]
        text.show(Console(highlight=False), result, refusals, dry_run=batch.options.dry_run)
    click.get_current_context().exit(130 if batch.interrupted else exit_code(batch.hosts))
