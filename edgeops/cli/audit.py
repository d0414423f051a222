"""``edgeops audit``: parse, read the hosts' logs, print."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from edgeops.cli.options import Common, access_options, common_options
from edgeops.engine import Access
from edgeops.report.smoke import plain


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
    for host in found:
        if host["error"]:
            console.print(Text(f"{host['host']}: not reached: {host['error']}", style="bold red"), soft_wrap=True)
        elif not host["entries"]:
            console.print(f"{host['host']}: nothing was changed here")
        for entry in host["entries"]:
            console.print(_line(str(host["host"]), entry), soft_wrap=True)


def _line(host: str, entry: dict[str, Any]) -> Text:
    outcome, before, after = (str(entry.get(key) or "none") for key in ("outcome", "before", "after"))
    served, serves = (f" ({entry[key]})" if entry.get(key) else "" for key in ("served", "serves"))
    before, after = before + served, after + serves
    moved = after if before == after else f"{before} → {after}"
    style = "green" if outcome == "deployed" else "bold yellow"
    head = f"{entry.get('at')}  {host}  {entry.get('who')}  {entry.get('what')}  "
    line = Text.assemble(plain(head), (plain(outcome), style), f"  {plain(moved)}")
    for word in [*(entry.get("changes") or []), *([entry["why"]] if entry.get("why") else [])]:
        line.append(f"\n    {plain(word)}", style="dim")
    return line
