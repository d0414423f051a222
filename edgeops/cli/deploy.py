"""``edgeops deploy``: parse, call the workflow, print."""

from __future__ import annotations

from typing import Any, Literal

import click

from edgeops.cli.options import Common, access_options, common_options
from edgeops.cli.story import Story

_SMOKE: dict[bool | None, Literal["changed", "always", "never"]] = {None: "changed", True: "always", False: "never"}


@click.command(short_help="Install, serve and verify. Undoes itself on failure.")
@click.argument("target")
@click.option("--dry-run", is_flag=True, help="Probe, judge and print what would be changed; change nothing.")
@click.option("--smoke/--no-smoke", default=None, help="Measure in any case, or not at all. Default: what was changed.")
@access_options
@common_options
def deploy(common: Common, target: str, dry_run: bool, smoke: bool | None, access: Any) -> None:
    """Bring TARGET to what the inventory declares, serve it, prove it and measure it.

    \b
    For each host, in this order:
        probe, judge     one command asks everything; a failed requirement stops here (exit 3)
        install, prove   the release beside the running one; can it import TensorRT on this machine?
        stage            model and draft, pinned by revision
        switch, ready    unit and link are switched, the server is awaited
        verify           speculation really on, the right name, one real generation
        smoke            plain against speculative decoding, interleaved

    What fails before the switch leaves the running service alone. What fails after it puts the former
    release back, verified (exit 4). A second deploy of an unchanged host changes nothing, restarts
    nothing and is not measured again unless --smoke asks for it.

    \b
    Examples:
        edgeops deploy spark-01
        edgeops deploy all --dry-run
        edgeops deploy nvidia@192.168.1.20 --ask-sudo
    """
    from edgeops.cli.changing import show
    from edgeops.deployment import Options, Reach, document
    from edgeops.deployment import deploy as run_deploy
    from edgeops.inventory import choose

    options = Options(_SMOKE[smoke], dry_run)
    hosts = choose(common.inventory, target)
    with Story(common, [host.name for host in hosts]) as story:
        batch = run_deploy(hosts, options, Reach(access, common.parallel), story.tell)
    show(common, batch, document(batch.run.name, batch.hosts))
