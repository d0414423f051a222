"""``edgeops lab``: simulated hosts on this machine."""

from __future__ import annotations

import json

import click

from edgeops import lab as simulated
from edgeops.cli.options import Common, common_options
from edgeops.lab.faults import FAULTS

_FAULT_HELP = "What is wrong with these hosts from the start: " + ", ".join(FAULTS) + "."


@click.group()
@common_options
def lab(common: Common) -> None:
    """Simulated hosts on this machine, to try everything without hardware.

    \b
    Each is a container with systemd, sshd, sudo, apt, pip and the vendor's own HTTP server.
    GPU, driver, CUDA, TensorRT and the speed are simulated, and everything says so.
    Needs root (through sudo) and Debian packages that are named when they are missing.
    """


@lab.command()
@click.option(
    "--hosts", "hosts", multiple=True, required=True, metavar="NAME[=KIND],…", help="spark-01,thor-01,box=jetson-orin"
)
@click.option("--fault", "faults", multiple=True, metavar="FAULT,…", help=_FAULT_HELP)
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
