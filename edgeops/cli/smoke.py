"""``edgeops smoke``: parse, call the workflow, print."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from edgeops import history, sweep
from edgeops import smoke as workflow
from edgeops.bench.gates import Gate
from edgeops.bench.procedure import Sizes
from edgeops.cli.gating import gate_option
from edgeops.cli.measuring import baseline_option, max_tokens_option, repeat_option
from edgeops.cli.options import Common, access_options, common_options
from edgeops.inventory import choose
from edgeops.report import measured
from edgeops.report import smoke as report
from edgeops.runs import Run, new_run

_WIDTH = 80
"""Columns where the output is no terminal."""


def _candidates(_: click.Context, __: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    if value is None:
        return None
    words = [word.strip() for word in value.split(",")]
    if not all(word.isascii() and word.isdigit() and len(word) < 3 for word in words):
        raise click.BadParameter(f"{value!r}: numbers of candidates are wanted, such as 3 or 0,3")
    return tuple(int(word) for word in words)


@click.command(short_help="Measure plain against speculative decoding.")
@click.argument("target", required=False)
@click.option("--k", "k", callback=_candidates, metavar="N[,N]", help="Candidates, as in 0,1,3,5. Default: what runs.")
@click.option("--method", type=click.Choice(["dspark", "dflash", "mtp", "eagle3", "off"]), help="Default: what runs.")
@click.option(
    "--workload", default="chat", show_default=True, metavar="NAME|FILE,…", help="chat, 1k, 2k, or JSON lines; several."
)
@repeat_option
@click.option("--warmup", type=click.IntRange(0, 100), default=1, show_default=True, help="Least warm-ups an arm.")
@max_tokens_option
@baseline_option("Against the same server without drafts, or against an engine of its own that has no speculation.")
@click.option(
    "--from",
    "origin",
    type=click.Choice(["host", "client"]),
    default="host",
    show_default=True,
    help="Where the clock stands: beside the server, or here, with the SSH connection between.",
)
@click.option("--url", help="Measure the server at this URL from here, without SSH.")
@click.option("--api-key-file", type=click.Path(path_type=Path), help="Holds the key of the server at --url.")
@gate_option
@access_options
@common_options
def smoke(
    common: Common, target: str | None, url: str | None, access: Any, gates: tuple[Gate, ...], **chosen: Any
) -> None:
    """Is speculative decoding worth it on this server, by how much, and how sure is that?

    Sends the same prompts in both ways in turns, on the server that runs, one request at a time: plain
    (baseline) and speculative (k3 with 3 candidates). The clock stops at text, not at the first event; tokens
    are those that the server counts; the verdict rests on the end-to-end rate, paired by prompt.

    \b
    edgeops smoke                       every host of the inventory
    edgeops smoke spark-01 --k 3        one host
    edgeops smoke spark-01 --k 0,1,3,5  each k beside the baseline: the service is restarted for each
    edgeops smoke --workload chat,1k,2k --repeat 3     a fuller run: 18 pairs for each length
    edgeops smoke --workload HumanEval.jsonl.gz
    edgeops smoke spark-01 --from client               as a client here sees it
    edgeops smoke --url http://127.0.0.1:8000 --json
    edgeops smoke spark-01 --gate 'speedup.k3>=1.1' --gate 'e2e>=0.95*last?'

    A gate compares a figure (e2e, decode, ttft_p50, speedup, …) with a number or with the last accepted smoke of the
    host (one whose guards held and that passed its gates), or names a guard that must hold. One that cannot be
    evaluated fails, unless it ends with ?.

    What does not run is served for the length of its measurement: the service is restarted for each k, method and
    for --baseline vanilla, then production is put back and verified, also after Ctrl-C or a failure. If this
    machine dies, the host puts it back by itself within 90 s. Users are cut off meanwhile; `edgeops tune` decides.

    Keep other users away meanwhile: a request beside the measured ones makes the result inconclusive.
    Exit code 0: a verdict was reached, whatever it is; 1: a host could not be measured, or every request of
    an arm failed; 2: usage; 4: a gate failed.
    """
    key_file = chosen.pop("api_key_file")
    vanilla = chosen.pop("baseline") == "vanilla"
    options = _options(**chosen)
    if url and vanilla:
        raise click.UsageError("--baseline vanilla restarts a host's service: it is not for --url")
    if url and target:
        raise click.UsageError("--url asks no host: leave TARGET away")
    if key_file and not url:
        raise click.UsageError("--api-key-file belongs to --url; for a host, set `api_key_file` in the inventory")
    run = new_run("smoke")
    try:
        if url:
            hosts = _by_url(url, options, run, key_file)
        else:
            hosts = _on_hosts(common, target, _plan(options, vanilla), run, access)
    except KeyboardInterrupt:
        click.echo(f"interrupted; records so far are in {run.directory}", err=True)
        click.get_current_context().exit(130)
    _finish(common, run, workflow.document(run.name, [history.judged(host, run, gates) for host in hosts]))


def _options(origin: str, repeat: int, warmup: int, max_tokens: int, **chosen: Any) -> workflow.Options:
    return workflow.Options(**chosen, sizes=Sizes(repeat, warmup, max_tokens), client=origin == "client")


def _by_url(url: str, options: workflow.Options, run: Run, key_file: Path | None) -> list[dict[str, Any]]:
    return [workflow.by_url(url, options, run, lambda sentence: _tell("", sentence), key_file)]


def _plan(options: workflow.Options, vanilla: bool) -> sweep.Plan:
    return sweep.Plan(options.k, (options.method,) if options.method else None, vanilla, options)


def _on_hosts(common: Common, target: str | None, plan: sweep.Plan, run: Run, access: Any) -> list[dict[str, Any]]:
    """Raises KeyboardInterrupt once every host's state was told."""
    hosts = choose(common.inventory, target)
    course = sweep.Course(plan, run, _tell)
    swept = sweep.on_hosts(hosts, course, workflow.Reach(common.parallel, access))
    if swept.interrupted:
        for host, state in swept.states.items():
            _tell(host, state)
        raise KeyboardInterrupt
    return swept.document_hosts


def _tell(host: str, sentence: str) -> None:
    click.echo(report.plain(f"{host}: {sentence}" if host else sentence), err=True)


def _finish(common: Common, run: Run, document: dict[str, Any]) -> None:
    run.write(workflow.FILE, document)
    if common.json:
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        console = Console(highlight=False)
        measured.show(console if console.is_terminal else Console(highlight=False, width=_WIDTH), document)
    failed = history.failed_gates(document["hosts"])
    for sentence in failed:
        click.echo(report.plain(sentence), err=True)
    click.get_current_context().exit(workflow.exit_code(document) or (4 if failed else 0))
