"""``edgeops`` itself: the commands by name, each loaded when it is called, so that ``--help`` is quick anywhere."""

from __future__ import annotations

import importlib
from typing import Any

import click

from edgeops.cli.options import common_options

COMMANDS = {
    "init": "Write a commented inventory to start from.",
    "hosts": "Hosts, groups and settings, and where each value comes from.",
    "check": "Probe hosts and judge them. Changes nothing.",
    "prepare": "Do the safe remedies of what check found, after showing them.",
    "deploy": "Install, serve and verify. Undoes itself on failure.",
    "status": "What serves where, whether it really does, and what has drifted.",
    "rollback": "Back to an earlier deployment, verified, without the network.",
    "remove": "Leave hosts as they were before edgeops.",
    "audit": "Who changed what on which host, when, and how it ended.",
    "smoke": "Measure plain against speculative decoding.",
    "tune": "Try every k, decide, and say what to write where.",
    "runs": "Past runs, the newest first.",
    "report": "One past run as text, JSON or a page.",
    "chat": "Talk to the served model over the SSH connection.",
    "tunnel": "Hold the server's port open on this machine.",
    "logs": "What the service says, from the host's journal.",
    "lab": "Simulated hosts on this machine, to try everything.",
}
"""Name and one line of help, in the order in which a newcomer needs them."""


class _Commands(click.Group):
    """Loads ``edgeops.cli.<name>`` for a command, after patching gevent in: pyinfra needs that before any SSH code."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        from gevent import monkey

        if not monkey.is_module_patched("socket"):
            monkey.patch_all()
        command = getattr(importlib.import_module(f"edgeops.cli.{cmd_name}"), cmd_name)
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="edgeops", message="%(prog)s %(version)s")
@common_options
def main(**_: Any) -> None:
    """Put NVIDIA's TensorRT Edge-LLM on DGX Spark and Jetson machines, over SSH.

    \b
    A first try, without any hardware:
        edgeops lab up --hosts spark-01      a simulated host
        edgeops deploy spark-01              check, install, serve, prove
        edgeops smoke --k 3                  is speculative decoding worth it?

    \b
    With your own machines:
        edgeops init                         writes inventories/fleet.yml
        edgeops check                        says what is missing, changes nothing
        edgeops deploy all

    TARGET is a host, a group, a glob ("spark-*"), "all", or user@address[:port].
    The answer goes to stdout, the story to stderr. Exit codes: 0 done, 1 a host failed, 2 usage or
    configuration, 3 a requirement failed and nothing was changed, 4 a gate failed and the host was
    rolled back, 5 locked by someone else, 130 interrupted.
    """
