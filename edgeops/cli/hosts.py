"""``edgeops hosts``: what an inventory means, before anything is done with it."""

from __future__ import annotations

import json
from typing import Any

import click

from edgeops.cli.options import Common, common_options
from edgeops.inventory import choose
from edgeops.inventory.listing import document, lines


@click.command(name="hosts")
@click.argument("target", required=False)
@common_options
def hosts(target: str | None, common: Common) -> Any:
    """Hosts, groups and settings, and where each value comes from.

    Reads the inventory and connects to nothing. Shows what was written for each host, with file and line;
    with -v the defaults as well. Variables of other tools are named as ignored, without their values.

    \b
    edgeops hosts                 every host
    edgeops hosts jetsons         a group
    edgeops hosts "spark-0*" -v   a glob, with all defaults
    """
    chosen = choose(common.inventory, target)
    if common.json:
        click.echo(json.dumps(document(chosen), indent=2, ensure_ascii=False))
        return
    for host in chosen:
        click.echo("\n".join(lines(host, everything=common.verbose)))
