"""``edgeops prepare``: parse, call the workflow, print."""

from __future__ import annotations

import json
import sys
from typing import Any

import click
from rich.console import Console

from edgeops.cli.options import Common, access_options, common_options
from edgeops.cli.story import Story
from edgeops.errors import ConfigurationError


@click.command(short_help="Do the safe remedies of what check found, after showing them.")
@click.argument("target")
@click.option("--dry-run", is_flag=True, help="Show what would be done; change nothing.")
@access_options
@common_options
def prepare(common: Common, target: str, dry_run: bool, access: Any) -> None:
    """Do on TARGET what `edgeops check` names as a remedy and what is safe, and nothing else.

    \b
    That is:
        python3-venv         where it is missing
        TensorRT             the packages of the pinned version, all of them at one version, and on hold;
                             from an apt source or a local repository that the host has already
        groups               video and render

    What apt would do is looked at first. A plan that removes a package, or touches driver, kernel,
    firmware or CUDA, is refused; so is a version that the host's apt sources do not have, before anything
    is installed. The plan is shown and asked about; --yes answers. What stays wrong is listed with its remedy.

    \b
    Exit code 0: all that prepare can do is done, whatever is left for you; 3: a host was refused and nothing
    was installed there; 1: something went wrong; 2: there is something to do, no terminal to ask on and no
    --yes; 5: somebody else has locked a host.

    \b
    Examples:
        edgeops prepare spark-01
        edgeops prepare all --dry-run
        edgeops prepare sparks --yes --json
    """
    from edgeops import preparation
    from edgeops.inventory import choose

    hosts = choose(common.inventory, target)
    with Story(common, [host.name for host in hosts]) as story:
        reach = preparation.Reach(access, common.parallel, story.tell)
        done = preparation.survey(hosts, reach)
    if dry_run:
        preparation.give_up_missing(done)
    elif done.pending and not done.interrupted:
        _ask(common, done)
        with Story(common, list(done.pending)) as story:
            preparation.carry_out(hosts, done, preparation.Reach(access, common.parallel, story.tell))
    _show(common, done, dry_run)
    click.get_current_context().exit(130 if done.interrupted else preparation.exit_code(done.reports))


def _ask(common: Common, done: Any) -> None:
    from edgeops.preparation import document
    from edgeops.report import preparation as text

    pending = [report for report in done.reports if report.host in done.pending]
    text.show_plan(Console(stderr=True, highlight=False), document(pending))
    if common.yes:
        return
    if not _on_a_terminal():
        raise ConfigurationError("there is something to do and no terminal to ask on", "look at it, then add --yes")
    click.confirm(f"Do this on {len(pending)} host{'' if len(pending) == 1 else 's'}?", abort=True, err=True)


def _on_a_terminal() -> bool:
    return sys.stdin.isatty()


def _show(common: Common, done: Any, dry_run: bool) -> None:
    from edgeops.preparation import document
    from edgeops.report import preparation as text

    result = document(done.reports)
    if common.json:
        click.echo(json.dumps(result, indent=2, ensure_ascii=False))
        return
    (text.show_plan if dry_run else text.show)(Console(highlight=False), result)
