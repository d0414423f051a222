"""What was or would be prepared, for people: per host the changes, what is left for somebody else, or why not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from edgeops.report.faults import printable

WOULD = "would "
_STYLES = {"prepared": "bold green", "unchanged": "green"}
_LEFT = {"fail": ("FAIL", "bold red"), "warn": ("warn", "yellow")}


def show_plan(console: Console, document: Mapping[str, Any]) -> None:
    """Print what would be done, of an ``edgeops.prepare/1`` document of which nothing was done yet."""
    for host in document["hosts"]:
        _show_host(console, host, WOULD)


def show(console: Console, document: Mapping[str, Any]) -> None:
    """Print what was done, of an ``edgeops.prepare/1`` document."""
    hosts: Sequence[Mapping[str, Any]] = document["hosts"]
    for host in hosts:
        _show_host(console, host, "was to " if host["outcome"] == "failed" else "")
    if len(hosts) > 1:
        outcomes = [host["outcome"] for host in hosts]
        counts = ", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in dict.fromkeys(outcomes))
        console.print(f"{len(hosts)} hosts: {counts}")


def _show_host(console: Console, host: Mapping[str, Any], would: str) -> None:
    word = "plan" if would == WOULD and host["error"] is None else host["outcome"]
    title = Text.assemble(
        (printable(host["host"]), "bold"),
        "  ",
        (word, _STYLES.get(host["outcome"], "bold red")),
        f"  {host['platform']}",
    )
    if host["simulated"]:
        title.append("  SIMULATED", style="bold magenta")
    console.print(title)
    for change in host["changes"]:
        _line(console, Text(printable(f"  {would}{change}")))
    if not host["changes"] and host["error"] is None:
        _line(console, Text("  nothing to do"))
    if host["error"]:
        _line(console, Text.assemble(("  Cause: ", "bold"), printable(host["error"]["message"])))
        _remedy(console, host["error"]["remedy"])
    _show_left(console, host["left"])


def _show_left(console: Console, left: Sequence[Mapping[str, str]]) -> None:
    if left:
        _line(console, Text("  Left, as edgeops prepare does not mend it:"))
    for verdict in left:
        _line(
            console, Text.assemble("    ", _LEFT[verdict["status"]], printable(f" {verdict['id']}: {verdict['found']}"))
        )
        _remedy(console, verdict["remedy"], "    ")


def _remedy(console: Console, remedy: str, indent: str = "") -> None:
    if remedy:
        _line(console, Text.assemble(f"{indent}  ", ("Remedy: ", "bold"), printable(remedy)))


def _line(console: Console, text: Text) -> None:
    console.print(text, soft_wrap=True)
