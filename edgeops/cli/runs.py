"""``edgeops runs``: what was done from here, the newest first."""

from __future__ import annotations

import json

import click
from rich.console import Console

from edgeops.cli.options import Common, common_options
from edgeops.locations import RUNS
from edgeops.report import runs as report
from edgeops.runs import find_run, open_index

_WIDTH = 160
"""Columns where the output is no terminal."""


@click.group(invoke_without_command=True, short_help="Past runs, the newest first.")
@click.option("-n", "--last", "most", type=click.IntRange(1), default=20, show_default=True, help="At most so many.")
@click.option("--host", help="Only runs over this host.")
@click.option("--kind", help="Only deploy, smoke or tune.")
@common_options
def runs(common: Common, most: int, host: str | None, kind: str | None) -> None:
    """List what was deployed and measured from this directory, and how it ended.

    Runs are kept below .edgeops/runs, one directory each. With --json, `accepted` says whether the next smoke of that
    host is compared with this one: its guards held and it passed its gates.

    \b
    edgeops runs                    the last 20
    edgeops runs --host spark-01 --kind smoke
    edgeops report last             one of them in full
    edgeops runs merge shards/*     the deploys of several control machines as one
    """
    if click.get_current_context().invoked_subcommand is None:
        _list(common, most, host, kind)


@runs.command()
@click.argument("sources", nargs=-1, required=True, metavar="RUN…")
@common_options
def merge(common: Common, sources: tuple[str, ...]) -> None:
    """Join deploys of several control machines, or of the jobs of a CI matrix, into one run.

    RUN is a directory that was copied from there, or the name of a run here. A host that two of them changed at the
    same time is refused; of a host that two changed one after the other the later run counts. The joined run keeps
    copies of what it was made of. The exit code is the one that a deploy over all these hosts would have had.
    """
    from edgeops.deployment import exit_code
    from edgeops.report import deployment
    from edgeops.rollout.merging import keep
    from edgeops.rollout.merging import merge as joined
    from edgeops.rollout.shards import read_shard

    merged = joined([read_shard(find_run(source)) for source in sources])
    result = keep(merged)
    if common.json:
        click.echo(json.dumps(result, indent=2, ensure_ascii=False))
    else:
        deployment.show(Console(highlight=False), result, (), dry_run=False)
        click.echo(f"{len(merged.shards)} runs joined in {merged.run.directory}", err=True)
    click.get_current_context().exit(exit_code(merged.reports))


def _list(common: Common, most: int, host: str | None, kind: str | None) -> None:
    with open_index() as index:
        found = index.runs()
    chosen = [
        run
        for run in found
        if kind in (None, run.kind) and (host is None or host in {entry.host for entry in run.hosts})
    ][:most]
    if common.json:
        document = {"schema": "edgeops.runs/1", "runs": [run.document() for run in chosen]}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
        return
    if not chosen:
        click.echo(f"no such runs in {RUNS}", err=True)
        return
    console = Console(highlight=False)
    (console if console.is_terminal else Console(highlight=False, width=_WIDTH)).print(report.table(chosen))
