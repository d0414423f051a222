"""The result of a check for people: hosts by requirement with what is not green, then each fault with its remedy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from edgeops.report.faults import fault_lines, printable, skip_lines

_MARKS = {"pass": ("✓", "green"), "warn": ("warn", "yellow"), "fail": ("FAIL", "bold red"), "skip": ("?", "dim")}
_MOST_COLUMNS = 6


def show(console: Console, document: Mapping[str, Any]) -> None:
    """Print an ``edgeops.check/1`` document."""
    hosts: Sequence[Mapping[str, Any]] = document["hosts"]
    console.print(_table(hosts))
    results = [(host["host"], host["results"]) for host in hosts]
    _section(console, "Failed", [*_unreached(hosts), *fault_lines(results)], "bold red")
    _section(console, "Warnings", fault_lines(results, "warn"), "yellow")
    _section(console, "Not judged", skip_lines(results), "dim")
    console.print(_summary(hosts))


def _table(hosts: Sequence[Mapping[str, Any]]) -> Table:
    shown = _not_green(hosts)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("HOST", "PLATFORM", "PASSED", *(shown if len(shown) <= _MOST_COLUMNS else ("NOT GREEN",))):
        table.add_column(heading, no_wrap=heading != "NOT GREEN")
    for host in hosts:
        status = {result["id"]: result["status"] for result in host["results"]}
        cells = _cells(status, shown) if len(shown) <= _MOST_COLUMNS else [_listed(status, shown)]
        table.add_row(_name(host), host["platform"], _passed(host), *cells)
    return table


def _not_green(hosts: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The requirements that not every host passes, in their own order."""
    found = (result["id"] for host in hosts for result in host["results"] if result["status"] != "pass")
    return tuple(dict.fromkeys(found))


def _cells(status: Mapping[str, str], shown: Sequence[str]) -> list[Text]:
    return [Text(*_MARKS[status[requirement]]) if requirement in status else Text("") for requirement in shown]


def _listed(status: Mapping[str, str], shown: Sequence[str]) -> Text:
    parts = [(status[one], one) for one in shown if status.get(one, "pass") != "pass"]
    ordered = [part for wanted in ("fail", "warn", "skip") for part in parts if part[0] == wanted]
    return Text(" ").join(Text(f"{_MARKS[kind][0]} {one}", style=_MARKS[kind][1]) for kind, one in ordered)


def _passed(host: Mapping[str, Any]) -> Text:
    if host.get("error"):
        return Text("not reached", style="bold red")
    passed = sum(1 for result in host["results"] if result["status"] == "pass")
    return Text(f"{passed} of {len(host['results'])}", style="green" if host["ok"] else "red")


def _name(host: Mapping[str, Any]) -> Text:
    return Text.assemble(
        (printable(host["host"]), "bold"), ("  SIMULATED", "bold magenta") if host["simulated"] else ""
    )


def _unreached(hosts: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = []
    for host in hosts:
        if host.get("error"):
            lines.append(printable(f"{host['host']}: {host['error']}"))
            lines += [printable(f"  Remedy: {host['remedy']}")] if host.get("remedy") else []
    return lines


def _section(console: Console, title: str, lines: Sequence[str], style: str) -> None:
    if lines:
        console.print(Text(f"\n{title}", style=style))
        for line in lines:
            console.print(Text(f"  {line}"), soft_wrap=True)


def _summary(hosts: Sequence[Mapping[str, Any]]) -> str:
    ready = sum(1 for host in hosts if host["ok"])
    unreached = sum(1 for host in hosts if host.get("error"))
    parts = [f"{ready} ready", f"{len(hosts) - ready - unreached} not ready"]
    parts += [f"{unreached} not reached"] if unreached else []
    return f"\n{len(hosts)} host{'' if len(hosts) == 1 else 's'}: {', '.join(parts)}. Nothing was changed."
