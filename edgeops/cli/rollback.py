"""``edgeops rollback``: parse, call the workflow, print."""

from __future__ import annotations

from functools import partial

import click

from edgeops.cli.changing import run_and_show
from edgeops.cli.options import Common, access_options, common_options
from edgeops.engine import Access


@click.command(short_help="Back to an earlier deployment, verified, without the network.")
@click.argument("target")
@click.option("--to", metavar="RELEASE", help="A release, a version or a deployment. Default: the one before this one.")
@click.option("--dry-run", is_flag=True, help="Say where it would go back to; change nothing.")
@access_options
@common_options
def rollback(common: Common, target: str, to: str | None, dry_run: bool, access: Access) -> None:
    """Put TARGET back to what it served before: unit, flags, release and engine cache are still on the host.

    The earlier service is started, awaited and verified; where it does not come up, what serves now is put
    back. Takes seconds and needs no network. `edgeops audit TARGET` says what was deployed when.
    """
    from edgeops.rollback import roll_back_host

    run_and_show(common, target, "rollback", partial(roll_back_host, to=to), access=access, dry_run=dry_run)
