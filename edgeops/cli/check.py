"""``edgeops check``: parse, call the workflow, print."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from edgeops import check as workflow
from edgeops.cli.options import Common, access_options, common_options
from edgeops.inventory import choose, open_inventory
from edgeops.report import checks
from edgeops.settings import Settings

_WIDTH = 160
"""Columns where the output is no terminal: a file has no edge to wrap at."""


@click.command(short_help="Probe hosts and judge them. Changes nothing.")
@click.argument("target", required=False)
@click.option("--save", type=click.Path(path_type=Path, file_okay=False), help="Keep the hosts' raw answers in DIR.")
@click.option(
    "--snapshot",
    "snapshots",
    type=click.Path(path_type=Path, exists=True),
    multiple=True,
    help="Judge a saved snapshot, or all of a directory, and ask no host. May be given again.",
)
@access_options
@common_options
def check(common: Common, target: str | None, save: Path | None, snapshots: tuple[Path, ...], access: Any) -> None:
    """Ask hosts everything in one command each, and say what is missing before anything is changed.

    Without TARGET, every host of the inventory. Exit code 0: all ready; 3: a requirement failed; 1: a host
    could not be asked. Each fault comes with one line of cause and one of remedy.

    \b
    edgeops check                          every host
    edgeops check spark-01 --json          for a script
    edgeops check nvidia@192.168.1.20 --ask-sudo --accept-new-host-keys
    edgeops check all --save snapshots     keep the answers, without serial numbers, names and tokens
    edgeops check --snapshot snapshots     judge them again, without any host
    """
    if snapshots and (target or save):
        raise click.UsageError("--snapshot asks no host: leave TARGET and --save away")
    if snapshots:
        done = workflow.check_snapshots(workflow.read_snapshots(snapshots), _settings(common))
    else:
        done = _asked(common, target, save, access)
    _show(done, common)
    click.get_current_context().exit(done.exit_code)


def _asked(common: Common, target: str | None, save: Path | None, access: Any) -> workflow.Check:
    hosts = choose(common.inventory, target)
    click.echo(f"asking {len(hosts)} host{'' if len(hosts) == 1 else 's'} …", err=True)
    done = workflow.check_hosts(hosts, access, common.parallel)
    if save:
        files = workflow.save(done, save, [host.user for host in hosts if host.user])
        click.echo(f"kept {len(files)} snapshot{'' if len(files) == 1 else 's'} in {save}", err=True)
    return done


def _settings(common: Common) -> Callable[[str], Settings]:
    """Settings by host name: those of the inventory that was given, and the defaults for every other host."""
    hosts = open_inventory(common.inventory).select(None) if common.inventory else ()
    known = {host.name: host.settings for host in hosts}
    return lambda name: known.get(name, Settings())


def _show(done: workflow.Check, common: Common) -> None:
    document = workflow.document(done)
    if common.json:
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
        return
    console = Console(highlight=False)
    checks.show(console if console.is_terminal else Console(highlight=False, width=_WIDTH), document)
