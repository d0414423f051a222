"""``edgeops remove``: parse, ask, call the workflow, print."""

from __future__ import annotations

from functools import partial

import click

from edgeops.cli.changing import run_and_show
from edgeops.cli.options import Common, access_options, common_options
from edgeops.engine import Access


@click.command(short_help="Leave hosts as they were before edgeops.")
@click.argument("target")
@click.option("--models", is_flag=True, help="Staged models as well; they may be large to fetch again.")
@click.option("--dry-run", is_flag=True, help="Say what would be removed; change nothing.")
@access_options
@common_options
def remove(common: Common, target: str, models: bool, dry_run: bool, access: Access) -> None:
    """Stop the service on TARGET and remove everything that edgeops put there.

    Unit, releases, environment, keys, engine caches, records and the system user go. Packages that were
    installed (python3-venv, what `edgeops prepare` brought) stay, since others may need them by now.
    """
    from edgeops.removal import remove_host

    if not (dry_run or common.yes):
        click.confirm(f"Remove edgeops and its service from {target}?", abort=True, err=True)
    run_and_show(common, target, "remove", partial(remove_host, models=models), access=access, dry_run=dry_run)
