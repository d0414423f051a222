"""``edgeops runs``: what was done from here, the newest first."""

from __future__ import annotations

import json

import click
from rich.console import Console

from edgeops.cli.options import Common, common_options
from edgeops.locations import RUNS
from edgeops.report import runs as report
from edgeops.runs import open_index

_WIDTH = 160
"""Columns where the output is no terminal."""


@click.command(short_help="Past runs, the newest first.")
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
    """
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
