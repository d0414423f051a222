"""``edgeops status``: parse, call the workflow, print; again and again where it is asked to."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import click
from gevent import monkey
from rich.console import Console
from rich.live import Live

from edgeops.cli.options import Common, access_options, common_options
from edgeops.engine import Access
from edgeops.inventory import choose

_WIDTH = 160
"""Columns where the output is no terminal: a file has no edge to wrap at."""


@click.command(short_help="What serves where, whether it really does, and what is not as it should be.")
@click.argument("target", required=False)
@click.option("--no-proof", is_flag=True, help="Ask for no generation; the last proof is then that of the deploy.")
@click.option("--watch", metavar="SECONDS", type=click.FloatRange(1), help="Look again every so many seconds.")
@access_options
@common_options
def status(common: Common, target: str | None, no_proof: bool, watch: float | None, access: Access) -> None:
    """Say what serves on each host, prove it with one short generation, and name what has drifted.

    Three things are compared: what the inventory declares, what was recorded when the service was verified,
    and what is there. Each difference has a name, both values and the command that mends it. Hosts of the
    same kind are compared with one another too. Nothing is changed.

    Exit code 1: a host has drifted, is down, was never deployed to, or could not be asked.

    \b
    edgeops status                     every host
    edgeops status spark-01 --json     for a script
    edgeops status --watch 30          until Ctrl-C
    """
    from edgeops import status as workflow

    hosts = choose(common.inventory, target)

    def look() -> workflow.Status:
        return workflow.status(hosts, access, common.parallel, proof=not no_proof)

    if watch is not None:
        _watch(look, watch, common)
    done = look()
    _print(common, workflow.document(done.hosts))
    click.get_current_context().exit(done.exit_code)


def _watch(look: Callable[[], Any], seconds: float, common: Common) -> None:
    """Show each look until Ctrl-C, which ends the command with 130; on a terminal in place."""
    from edgeops.report.status import rendered
    from edgeops.status import document

    console = _console()
    live = Live(console=console, auto_refresh=False) if console.is_terminal and not common.json else None
    try:
        while True:
            done = look()
            if live is None:
                _print(common, document(done.hosts), indent=None)  # one line each, where several come
            else:
                live.start()
                live.update(rendered(document(done.hosts)), refresh=True)
            if done.interrupted:
                break
            monkey.get_original("time", "sleep")(seconds)  # gevent's own would print a traceback on Ctrl-C
    except KeyboardInterrupt:
        pass
    finally:
        if live is not None:
            live.stop()
    click.get_current_context().exit(130)


def _print(common: Common, document: dict[str, Any], indent: int | None = 2) -> None:
    """The document, as JSON or for people."""
    from edgeops.report.status import show

    if common.json:
        click.echo(json.dumps(document, indent=indent, ensure_ascii=False))
        return
    show(_console(), document)


def _console() -> Console:
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_WIDTH)
