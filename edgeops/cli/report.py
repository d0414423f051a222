"""``edgeops report``: one past run, with every figure computed again from what was observed."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console

from edgeops.cli.options import Common, common_options
from edgeops.errors import EdgeopsError
from edgeops.history import PastRun, read_run
from edgeops.report import deployment, measured, page, preparation, smoke, tune
from edgeops.runs import find_run

_WIDTH = 100
"""Columns where the output is no terminal."""
_SHOWN = 10


@click.command(short_help="One past run as text, JSON or a page.")
@click.argument("run")
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Write one self-contained page to FILE.")
@common_options
def report(common: Common, run: str, html: Path | None) -> None:
    """Show RUN: a name, the beginning of one, "last", or a run's directory.

    Every figure of a benchmark is computed again from its records; where a stored figure differs from what the
    records give, it is said and the exit code is 1. The page needs no network and nothing beside it: send it as it is.

    \b
    edgeops report last
    edgeops report last --html report.html
    edgeops report 20261130-16 --json
    """
    past = read_run(find_run(run))
    try:
        _write_page(past, html)
        _show(past, common)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise EdgeopsError(
            f"the stored result in {past.directory} is damaged: {type(error).__name__} at {error}",
            "Its records may be whole: move the result file away and ask again.",
        ) from None
    _tell(past)
    click.get_current_context().exit(1 if past.differences else 0)


def _write_page(past: PastRun, path: Path | None) -> None:
    if path is None:
        return
    text = page.render(past.as_smoke() if past.kind == "tune" else past)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise EdgeopsError(f"{path} cannot be written: {error.strerror}") from None
    click.echo(f"wrote {path}, {len(text.encode()) // 1024} KiB", err=True)


def _show(past: PastRun, common: Common) -> None:
    if common.json:
        document = {**past.document, "differences": list(past.differences), "notes": list(past.notes)}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
        return
    console = Console(highlight=False)
    console = console if console.is_terminal else Console(highlight=False, width=_WIDTH)
    if past.kind in ("deploy", "rollback", "remove"):
        deployment.show(console, past.document, [], dry_run=False)
        smokes = [host["smoke"] for host in past.document["hosts"] if host["smoke"]]
        if len(smokes) > measured.FEW:
            smoke.show(console, {"hosts": smokes})
        deployment.show_phases(console, past.document)
    elif past.kind == "tune":
        tune.show(console, past.document)
    elif past.kind == "prepare":
        preparation.show(console, past.document)
    else:
        smoke.show(console, past.document)


def _tell(past: PastRun) -> None:
    for note in past.notes[:_SHOWN]:
        click.echo(smoke.plain(f"note: {note}"), err=True)
    for difference in past.differences[:_SHOWN]:
        click.echo(smoke.plain(f"differs: {difference}"), err=True)
    for lines in (past.notes, past.differences):
        if len(lines) > _SHOWN:
            click.echo(f"… and {len(lines) - _SHOWN} more", err=True)
    if past.differences:
        click.echo("The stored result does not agree with the records; shown is what the records give.", err=True)
