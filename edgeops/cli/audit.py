"""``edgeops audit``: parse, read the hosts' logs, print."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from edgeops.cli.options import Common, access_options, common_options
from edgeops.engine import Access


@click.command(short_help="Who changed what on which host, when, and how it ended.")
@click.argument("target", required=False)
@access_options
@common_options
def audit(common: Common, target: str | None, access: Access) -> None:
    """Show the audit log that every change leaves on the host itself, oldest first."""
    from edgeops import audit as log
    from edgeops import engine
    from edgeops.inventory import choose

    hosts = choose(common.inventory, target)
    results = engine.run(hosts, log.read, deadline=120, parallel=common.parallel, access=access)
    found: list[dict[str, Any]] = [
        {"host": name, "entries": result.value or [], "error": result.error or None} for name, result in results.items()
    ]
    if common.json:
        click.echo(json.dumps({"schema": "edgeops.audit/1", "hosts": found}, indent=2))
    else:
        _show(found)
    click.get_current_context().exit(1 if any(host["error"] for host in found) else 0)


def _show(found: list[dict[str, Any]]) -> None:
    console = Console(highlight=False)
    table = Table("when", "host", "who", "what", "outcome", "from", "to", "why", box=None, pad_edge=False)
    for host in found:
        if host["error"]:
            console.print(Text(f"{host['host']}: not reached: {host['error']}", style="bold red"))
        for entry in host["entries"]:
            words = [entry.get(key) for key in ("at", "who", "what", "outcome", "before", "after", "why")]
            when, *rest = (Text(str(word or "–")) for word in words)
            table.add_row(when, Text(str(host["host"])), *rest)
    console.print(table if table.row_count else "no entries")
