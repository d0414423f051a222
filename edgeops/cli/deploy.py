"""``edgeops deploy``: parse, call the workflow, print."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from edgeops.cli.gating import gate_option
from edgeops.cli.options import Common, access_options, common_options

_SMOKE: dict[bool | None, Literal["changed", "always", "never"]] = {None: "changed", True: "always", False: "never"}


@click.command(short_help="Install, serve and verify. Undoes itself on failure.")
@click.argument("target", required=False)
@click.option("--dry-run", is_flag=True, help="Probe, judge and print what would be changed; change nothing.")
@click.option("--smoke/--no-smoke", default=None, help="Measure in any case, or not at all. Default: what was changed.")
@click.option("--canary", metavar="N|HOST,…", help="Go first: these hosts, or N of each platform and hardware.")
@click.option(
    "--batches", metavar="SIZE,…", help="Sizes of the batches after it: 1,25%,100%. The last one is repeated."
)
@click.option(
    "--max-fail", metavar="N|P%", default="0", show_default=True, help="So many hosts may fail, of all and of a batch."
)
@click.option("--pause", metavar="SECONDS", type=click.FloatRange(0), default=0, help="Wait between batches.")
@click.option("--approve", is_flag=True, help="Ask between batches.")
@click.option(
    "--on-stop",
    type=click.Choice(["rollback", "keep"]),
    default="rollback",
    show_default=True,
    help="What to do with the good hosts of a batch that stopped the rollout.",
)
@gate_option
@click.option("--resume", metavar="RUN", help="Go on with a rollout that was cut off; TARGET is the run's.")
@click.option("--distribute", is_flag=True, help="Fetch wheels and models here once, and send them with rsync.")
@click.option("--steal-lock", is_flag=True, help="Show who holds the hosts' locks, and take them after asking.")
@click.option("--events", type=click.Path(path_type=Path), help="Append every event to FILE, as JSON lines.")
@access_options
@common_options
def deploy(common: Common, target: str | None, access: Any, **chosen: Any) -> None:
    """Bring TARGET to what the inventory declares, serve it, prove it and measure it.

    \b
    For each host, in this order:
        probe, judge     one command asks everything; a failed requirement stops here (exit 3)
        install, prove   the release beside the running one; can it import TensorRT on this machine?
        stage            model and draft, pinned by revision
        switch, ready    unit and link are switched, the server is awaited
        verify           speculation really on, the right name, a known answer
        smoke, gate      plain against speculative decoding, interleaved; against its last accepted speed

    What fails before the switch leaves the running service alone. What fails after it puts the former
    release back, verified (exit 4). A second deploy of an unchanged host changes nothing, restarts
    nothing and is not measured again unless --smoke asks for it.

    A service that answers nonsense, whose requests fail, that misses a --gate or that is surely below 95 % of
    the host's last accepted speed (or 90 % of the canary's of the same hardware) goes back.

    A fleet goes in waves: canaries, then batches. A canary that fails, or more failures than --max-fail
    allows, stop the rollout before the next wave. Everything is written down before it is done; a run
    that was cut off goes on with --resume RUN (`edgeops runs` lists them).

    \b
    Examples:
        edgeops deploy spark-01
        edgeops deploy all --dry-run
        edgeops deploy all --canary 1 --batches 10%,50%,100%
        edgeops deploy all --canary 1 --gate 'speedup.k3>=1.1' --gate 'e2e>=0.95*last?'
        edgeops deploy nvidia@192.168.1.20 --ask-sudo
    """
    from edgeops.cli.rolling import Call, roll

    smoke = _SMOKE[chosen.pop("smoke")]
    roll(common, Call(target=target, access=access, smoke=smoke, **chosen))
