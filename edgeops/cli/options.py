"""Every shared option, once. They are accepted before and after the command's name; the one after it wins."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource


@dataclass(frozen=True)
class Common:
    """The common options of one call."""

    inventory: Path | None = None
    json: bool = False
    verbose: bool = False
    yes: bool = False
    parallel: int = 20


_OPTIONS = (
    click.option(
        "-i",
        "--inventory",
        type=click.Path(path_type=Path),
        help="Inventory file. Else $EDGEOPS_INVENTORY, then ./inventories, then a running lab's.",
    ),
    click.option("--json", "json", is_flag=True, help="One JSON document on stdout, and nothing else."),
    click.option("-v", "--verbose", is_flag=True, help="Tell every step on stderr."),
    click.option("--yes", is_flag=True, help="Answer yes to questions."),
    click.option("--parallel", type=click.IntRange(1, 500), default=20, show_default=True, help="Hosts at once."),
)
_NAMES = ("inventory", "json", "verbose", "yes", "parallel")


def common_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the common options. A command below ``edgeops`` gets them merged, as its parameter ``common``."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        ctx = click.get_current_context()
        given = {name: kwargs.pop(name) for name in _NAMES}
        explicit = {
            name: value for name, value in given.items() if ctx.get_parameter_source(name) != ParameterSource.DEFAULT
        }
        before: dict[str, Any] = ctx.obj or {}
        ctx.obj = before | explicit
        if ctx.parent is None:
            return function(*args, **kwargs)
        return function(*args, common=Common(**ctx.obj), **kwargs)

    for option in reversed(_OPTIONS):
        called = option(called)
    return called


_ACCESS_OPTIONS = (
    click.option("--ask-sudo", is_flag=True, help="Ask once for the password that sudo wants on the hosts."),
    click.option(
        "--accept-new-host-keys",
        is_flag=True,
        help="Remember the keys of hosts that are not in known_hosts yet. Changed keys are refused all the same.",
    ),
)


def access_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--ask-sudo`` and ``--accept-new-host-keys``. The command gets what follows as its parameter ``access``."""

    @functools.wraps(function)
    def called(*args: Any, ask_sudo: bool, accept_new_host_keys: bool, **kwargs: Any) -> Any:
        from edgeops.engine import Access

        access = Access(_sudo_password() if ask_sudo else None, accept_new_host_keys)
        return function(*args, access=access, **kwargs)

    for option in reversed(_ACCESS_OPTIONS):
        called = option(called)
    return called


def _sudo_password() -> str:
    """Asked on the terminal, unseen; the first line of standard input where that is no terminal."""
    if sys.stdin.isatty():
        return str(click.prompt("sudo password", hide_input=True, err=True))
    password = sys.stdin.readline().rstrip("\r\n")
    if not password:
        raise click.UsageError("--ask-sudo: no terminal to ask on, and no password on standard input")
    return password
