"""``edgeops tune``: parse, call the workflow, print."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from edgeops import tune as workflow
from edgeops.bench.procedure import Sizes
from edgeops.cli.measuring import baseline_option, max_tokens_option, repeat_option
from edgeops.cli.options import Common, access_options, common_options
from edgeops.cli.story import Story
from edgeops.deployment import Reach as DeployReach
from edgeops.engine import Access
from edgeops.errors import ConfigurationError
from edgeops.inventory import Host, choose
from edgeops.inventory.discovery import find_inventory
from edgeops.report import tune as report
from edgeops.runs import Run, new_run
from edgeops.smoke import Options, Reach

_METHODS = ("dspark", "dflash", "mtp", "eagle3")
_WIDTH = 100


def _numbers(_: click.Context, __: click.Parameter, value: str) -> tuple[int, ...]:
    words = [word.strip() for word in value.split(",")]
    if not all(word.isascii() and word.isdigit() and int(word) <= 64 for word in words):
        raise click.BadParameter(f"{value!r}: numbers of candidates up to 64 are wanted, such as 0,1,3,5")
    if not any(int(word) for word in words):
        raise click.BadParameter(f"{value!r}: plain decoding alone leaves nothing to choose")
    return tuple(int(word) for word in words)


def _methods(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    if value is None:
        return None
    words = tuple(dict.fromkeys(word.strip() for word in value.split(",")))
    unknown = [word for word in words if word not in _METHODS]
    if unknown:
        raise click.BadParameter(f"{unknown[0]!r} is none of {', '.join(_METHODS)}; plain decoding is always tried")
    return words


@click.command(short_help="Try every k, decide, and say what to write where.")
@click.argument("target")
@click.option("--k", "ks", default="0,1,3,5,7", show_default=True, callback=_numbers, metavar="N[,N]", help="To try.")
@click.option("--methods", callback=_methods, metavar="NAME[,NAME]", help="To try. Default: the one that is set.")
@click.option(
    "--workload", default="chat", show_default=True, metavar="NAME|FILE", help="What your users ask; several."
)
@repeat_option
@max_tokens_option
@baseline_option("Plain decoding on the same server, or with an engine of its own.")
@click.option("--apply", "applying", is_flag=True, help="Write the choice into the inventory, and deploy it.")
@access_options
@common_options
def tune(common: Common, target: str, access: Access, applying: bool, **chosen: Any) -> None:
    """Which k, and which method, is fastest on TARGET for what is asked of it? Or is plain decoding?

    Serves each setting in turn, measures it beside plain decoding on the same server, and decides by a rule: the
    largest gain that is sure; where two cannot be told apart, the smaller k; off, where none gains 3 %. No decision
    is an answer as well: then what runs stays. docs/tune.md has the rule in full.

    \b
    edgeops tune spark-01                       what to write into the inventory
    edgeops tune spark-01 --apply               writes it, comments kept, and deploys
    edgeops tune sparks --methods dspark,mtp --workload chat,2k
    edgeops tune nvidia@192.168.1.20 --json

    The service is restarted for each setting, so users are cut off meanwhile. Afterwards production serves again as
    before, verified: also after a failure, Ctrl-C or a lost connection. If this machine dies, the host puts it back by
    itself within 90 s. Nothing is written into production's own files.

    Exit code 0: every host has an answer; 1: a host could not be tuned; 2: usage; 5: somebody else is at work there.
    """
    hosts, run = choose(common.inventory, target), new_run("tune")
    reach = Reach(common.parallel, access)
    tunings, swept = workflow.tune(hosts, _wanted(**chosen), run, _tell, reach)
    inventory = _inventory(common, hosts)
    if applying and not swept.interrupted:
        with Story(common, [host.name for host in hosts]) as story:
            into = workflow.Applied(inventory, DeployReach(access, common.parallel), story.tell)
            workflow.apply(tunings, into)
    _finish(common, run, workflow.document(run.name, tunings, str(inventory) if inventory else None))
    click.get_current_context().exit(130 if swept.interrupted else workflow.exit_code(tunings))


def _wanted(
    ks: tuple[int, ...], methods: tuple[str, ...] | None, workload: str, repeat: int, max_tokens: int, baseline: str
) -> workflow.Wanted:
    sizes = Sizes(repeat=repeat, max_tokens=max_tokens)
    return workflow.Wanted(ks, methods, baseline == "vanilla", Options(workload=workload, sizes=sizes))


def _inventory(common: Common, hosts: tuple[Host, ...]) -> Path | None:
    """The file in which the hosts stand; None for hosts that were named in full."""
    if all("@" in host.name for host in hosts):
        return None
    try:
        return find_inventory(common.inventory, os.environ)
    except ConfigurationError:
        return None


def _tell(host: str, sentence: str) -> None:
    click.echo(report.plain(f"{host}: {sentence}"), err=True)


def _finish(common: Common, run: Run, document: dict[str, Any]) -> None:
    run.write(workflow.FILE, document)
    if common.json:
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
        return
    console = Console(highlight=False)
    report.show(console if console.is_terminal else Console(highlight=False, width=_WIDTH), document)
