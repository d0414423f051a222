"""``edgeops lab``: simulated hosts on this machine."""

from __future__ import annotations

import json
from typing import Any

import click

from edgeops import lab as simulated
from edgeops.cli.options import Common, common_options
from edgeops.errors import ConfigurationError
from edgeops.lab.faults import FAULTS
from edgeops.lab.scripted.knobs import KNOBS
from edgeops.lab.scripted.speed import dspark_tok_s

_HOSTS = click.option(
    "--hosts", "hosts", multiple=True, metavar="NAME[=KIND],…", required=True, help="spark-01,thor-01,a=jetson-orin"
)
_FAULTS = click.option(
    "--fault", "faults", multiple=True, metavar="FAULT,…", help="What is wrong with these hosts; see below."
)


@click.group()
@common_options
def lab(common: Common) -> None:
    """Simulated hosts on this machine, to try everything without hardware.

    \b
    Each is a container with systemd, sshd, sudo, apt, pip and the vendor's own HTTP server.
    GPU, driver, CUDA, TensorRT and the speed are simulated, and everything says so.
    Needs root (through sudo) and Debian packages that are named when they are missing.
    """


@lab.command(epilog="\b\nFaults:\n" + "\n".join(f"  {name:<14} {fault.summary}" for name, fault in FAULTS.items()))
@_HOSTS
@_FAULTS
@click.option("--fresh", is_flag=True, help="Start from empty disks.")
@common_options
def up(common: Common, hosts: tuple[str, ...], faults: tuple[str, ...], fresh: bool) -> None:
    """Bring hosts up and write .edgeops/lab/inventory.yml.

    A running host is left as it is; a stopped one is booted with its disk as it was.
    thor-* are Jetson Thor, orin-* Jetson Orin, every other name a DGX Spark.
    """
    orders = simulated.host_orders(hosts, faults)
    _show(simulated.up(simulated.workspace_here(), orders, _report, fresh=fresh), common)


@lab.command()
@click.option("--hosts", "hosts", multiple=True, metavar="NAME,…", help="Only these; all when left out.")
@common_options
def down(common: Common, hosts: tuple[str, ...]) -> None:
    """Power hosts off and remove their disks."""
    names = [name.strip() for word in hosts for name in word.split(",") if name.strip()]
    _show(simulated.down(simulated.workspace_here(), names, _report), common)


@lab.command()
@common_options
def status(common: Common) -> None:
    """The simulated hosts of this directory."""
    _show(simulated.status(simulated.workspace_here()), common)


@lab.command("set")
@click.argument("host")
@click.argument("values", nargs=-1, metavar="[KEY=VALUE]…")
@common_options
def set_(common: Common, host: str, values: tuple[str, ...]) -> None:
    """Turn knobs of HOST's scripted engine, or show them.

    The engine reads them at each start and each request. KEY= puts one back to its default.

    \b
    Examples:
        edgeops lab set spark-01                 all knobs: what each does, and how it is set
        edgeops lab set spark-01 fail=load       the next k or version does not load; what served before does
        edgeops lab set spark-01 text=garbage    the same, talking nonsense
        edgeops lab set spark-01 spec_tok_s_5=85 build_s=
    """
    workspace = simulated.workspace_here()
    knobs = simulated.set_knobs(workspace, host, _changes(values), _report)
    if common.json:
        document = simulated.status(workspace).document()
        hosts = [{**one, "engine": knobs} for one in document["hosts"] if one["host"] == host]
        click.echo(json.dumps({**document, "hosts": hosts}, indent=2, ensure_ascii=False))
        return
    _show_knobs(host, knobs)


def _changes(values: tuple[str, ...]) -> dict[str, str]:
    for value in values:
        if "=" not in value:
            raise ConfigurationError(f"{value!r} is not KEY=VALUE", "edgeops lab set spark-01 fail=load")
    return {key: text for key, _, text in (value.partition("=") for value in values)}


def _show_knobs(host: str, knobs: dict[str, Any]) -> None:
    click.echo(f"{host}: scripted engine (simulated)")
    for name, knob in KNOBS.items():
        click.echo(_knob_line(name, knobs.get(name, "" if knob.default is None else knob.default), knob.summary, knobs))
    for name in sorted(set(knobs) - set(KNOBS)):
        click.echo(_knob_line(name, knobs[name], "for this k", knobs))
    rates = ", ".join(f"k={k} {dspark_tok_s(k):.1f}" for k in range(1, 9))
    click.echo(f"  * was set. The speed model's DSpark, tok/s: {rates}; published is k=3 alone.")


def _knob_line(name: str, value: object, summary: str, knobs: dict[str, Any]) -> str:
    return f"  {'*' if name in knobs else ' '} {name:<15} {value!s:<10} {summary}".rstrip()


def _report(line: str) -> None:
    click.echo(line, err=True)


def _show(result: simulated.LabStatus, common: Common) -> None:
    document = result.document()
    if common.json:
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
        return
    for host in document["hosts"]:
        state = "running" if host["running"] else "stopped"
        click.echo(f"{host['host']:<16} {host['platform']:<12} {host['address']}:{host['port']}  {state}  simulated")
    click.echo(f"inventory: {document['inventory']}" if document["hosts"] else "no simulated hosts here")
