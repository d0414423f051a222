"""``edgeops logs``: parse, read the journal, print its lines."""

from __future__ import annotations

import json
from typing import Any

import click

from edgeops.cli.options import Common, access_options, common_options


@click.command(short_help="What the service says, from the host's journal.")
@click.argument("target", required=False)
@click.option("-f", "--follow", is_flag=True, help="And what comes after that, until Ctrl-C.")
@click.option(
    "-n", "--lines", type=click.IntRange(0, 100_000), default=100, show_default=True, help="Last lines a host."
)
@access_options
@common_options
def logs(common: Common, target: str | None, follow: bool, lines: int, access: Any) -> None:
    """Show the journal of the service on TARGET; of several hosts, with the host's name in front of each line.

    \b
    edgeops logs spark-01
    edgeops logs spark-01 -f -n 20
    """
    from edgeops import engine
    from edgeops.inventory import choose
    from edgeops.journal import Wanted, read
    from edgeops.report.smoke import plain

    if common.json and follow:
        raise click.UsageError("--json prints one document, and -f never ends")
    hosts = choose(common.inventory, target)
    kept: dict[str, list[str]] = {host.name: [] for host in hosts}

    def tell(host: str, line: str) -> None:
        if common.json:
            kept[host].append(line)
        else:
            click.echo(plain(f"{host}  {line}" if len(hosts) > 1 else line))

    try:
        results = read(hosts, Wanted(lines, follow), access, common.parallel, tell)
    except engine.Interrupted:
        return
    if common.json:
        document = {"schema": "edgeops.logs/1", "hosts": [{"host": name, "lines": said} for name, said in kept.items()]}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    failed = [result for result in results.values() if result.status != "ok"]
    for result in failed:
        click.echo(plain(f"{result.host.name}: {result.error} {result.remedy}".strip()), err=True)
    click.get_current_context().exit(1 if failed else 0)
