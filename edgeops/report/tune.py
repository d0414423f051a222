"""The result of a tuning for people: what was tried, what is best, and what to write where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from edgeops.report.smoke import plain

__all__ = ["plain", "show"]

Document = Mapping[str, Any]

_STYLES = {"faster": "green", "slower": "red", "no useful gain": "yellow", "inconclusive": "yellow"}
_UNKNOWN = "–"


def show(console: Console, document: Document) -> None:
    """Print an ``edgeops.tune/1`` document."""
    for number, host in enumerate(document["hosts"]):
        if number:
            console.print()
        _show_host(console, host)


def _show_host(console: Console, host: Document) -> None:
    console.print(_title(host))
    for name in dict.fromkeys(workload["name"] for sweep in host["sweeps"] for workload in sweep["workloads"]):
        console.print(_table(host, name))
    for workload in host["by_workload"] if len(host["by_workload"]) > 1 else ():
        _say(console, f"For {plain(workload['name'])}", workload["choice"]["reason"])
    for reason, arms in _left_out(host).items():
        _say(console, ", ".join(arms), reason)
    for guard in _failed_guards(host):
        _say(console, "Guard failed", guard)
    if host.get("error"):
        _say(console, "Not tuned", host["error"]["message"])
        if host["error"].get("remedy"):
            _say(console, "Remedy", host["error"]["remedy"])
    else:
        console.print(Text.assemble(("Choice: ", "bold"), (_answer(host), "bold green")), soft_wrap=True)
        _say(console, "Because", host["choice"]["reason"])
        _say(console, "Write", _to_write(host))
    if host["applied"]:
        _say(console, "Applied", host["applied"])
    _say(console, "The host", host["state"])


def _title(host: Document) -> Text:
    title = Text(plain(host["host"]), style="bold")
    if host["simulated"]:
        title.append("  SIMULATED", style="bold magenta")
        title.append("  the speed is scripted: it is no measurement of any hardware", style="magenta")
    return title


def _table(host: Document, name: str) -> Table:
    table = Table(title=f"\nWorkload {plain(name)}", title_justify="left", title_style="bold", box=None)
    for column in ("", "end to end, tok/s", "gain", "sure between", "verdict"):
        table.add_column(column, justify="left" if column in ("", "verdict") else "right", no_wrap=True)
    for row in _rows(host, name):
        table.add_row(*row)
    return table


def _rows(host: Document, name: str) -> Iterator[tuple[str | Text, ...]]:
    """A row an arm. A baseline is repeated for each method, since it is measured beside it."""
    several = len(host["sweeps"]) > 1
    for sweep in host["sweeps"]:
        method = plain(sweep["server"]["speculative_method"])
        for workload in (one for one in sweep["workloads"] if one["name"] == name):
            for arm, figures in workload["arms"].items():
                rate = f"{figures['e2e_tok_s']['mean']:.1f}" if figures["e2e_tok_s"] else _UNKNOWN
                called = f"plain, beside {method}" if several else "plain"
                if arm in workload["speedup"]:
                    yield f"{method} k={arm[1:]}{_mark(host, method, arm)}", rate, *_gain(workload["speedup"][arm])
                elif figures["requests"]:
                    yield called, rate, "", "", ""


def _gain(one: Document) -> tuple[str, str, Text]:
    gain = _UNKNOWN if one["e2e"] is None else f"{one['e2e']:.2f}x"
    sure = _UNKNOWN if one["lo"] is None else f"{one['lo']:.2f}x and {one['hi']:.2f}x"
    word = one["verdict"] if one["e2e"] is not None else "not measured" if one.get("possible", True) else "ruled out"
    return gain, sure, Text(word, style=_STYLES[one["verdict"]])


def _mark(host: Document, method: str, arm: str) -> str:
    runs = host["now"]["method"] == method and f"k{host['now']['k']}" == arm
    return "  (runs)" if runs else ""


def _answer(host: Document) -> str:
    chosen = host["choice"]
    if chosen["answer"] == "inconclusive":
        return "inconclusive: keep what runs"
    return "speculation off" if chosen["answer"] == "off" else f"{plain(chosen['method'])} with k={chosen['k']}"


def _to_write(host: Document) -> str:
    write = host["write"]
    if write is None:
        return "nothing" if host["choice"]["answer"] == "inconclusive" else "nothing: it is what the host has"
    where = f", in {write['file']}" if write["file"] else ""
    return f"{' and '.join(f'`{line}`' for line in write['lines'])} below {write['host']}{where}"


def _left_out(host: Document) -> dict[str, list[str]]:
    """Why arms could not be measured, each reason once, and which arms those are."""
    found: dict[str, list[str]] = {}
    for sweep in host["sweeps"]:
        for workload in sweep["workloads"][:1]:
            for arm, one in workload["speedup"].items():
                if one["e2e"] is None:
                    name = f"{plain(sweep['server']['speculative_method'])} k={arm[1:]}"
                    found.setdefault(one["reason"], []).append(name)
    return found


def _failed_guards(host: Document) -> Iterator[str]:
    """But for the one on arms, which are in the table."""
    for sweep in host["sweeps"]:
        for guard in sweep["guards"]:
            if guard["ok"] is False and guard["id"] != "arms":
                yield f"{guard['id']}, with {sweep['server']['speculative_method']}: {guard['detail']}"


def _say(console: Console, label: str, sentence: str) -> None:
    console.print(Text.assemble((f"{label}: ", "bold"), plain(sentence)), soft_wrap=True)
