"""The status of hosts for people: one line a host, then a block for each that is not as it should be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from edgeops.report.faults import printable

_STYLES = {"ok": "green", "drifted": "bold yellow", "never deployed": "yellow"}
_COLUMNS = ("HOST", "STATE", "RELEASE", "SERVES", "UP", "RESTARTS", "PROOF", "LAST SMOKE")
_DULL = ("–", "0")
"""A column that says nothing else is left out."""


def show(console: Console, document: Mapping[str, Any]) -> None:
    """Print an ``edgeops.status/1`` document."""
    for part in _parts(document, datetime.now(timezone.utc)):
        console.print(part, soft_wrap=isinstance(part, Text))  # a command that is cut into lines cannot be copied


def rendered(document: Mapping[str, Any], now: datetime | None = None) -> RenderableType:
    """The same as something that can be shown live. ``now`` is for ages; the present moment if left away."""
    return Group(*_parts(document, now or datetime.now(timezone.utc)))


def _parts(document: Mapping[str, Any], now: datetime) -> Iterator[Table | Text]:
    hosts: Sequence[Mapping[str, Any]] = document["hosts"]
    yield _table(hosts, now)
    for host in hosts:
        yield from _block(host)
    yield Text(f"\n{_summary(hosts)}")


def _table(hosts: Sequence[Mapping[str, Any]], now: datetime) -> Table:
    rows = [_cells(host, now) for host in hosts]
    shown = [number for number in range(len(_COLUMNS)) if any(row[number].plain not in _DULL for row in rows)]
    table = Table(*(_COLUMNS[number] for number in shown), box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for row in rows:
        table.add_row(*(row[number] for number in shown))
    return table


def _cells(host: Mapping[str, Any], now: datetime) -> list[Text]:
    state = host["state"]
    name = Text.assemble((printable(host["host"]), "bold"))
    if host["simulated"]:
        name.append(" SIMULATED", style="bold magenta")
    words = [Text(state, style=_STYLES.get(state, "bold red"))]
    words += [_plain(host["release"]), _plain(_serves(host)), *_unit(host, now), _proof(host), _smoke(host, now)]
    return [name, *words]


def _serves(host: Mapping[str, Any]) -> str | None:
    """What it says of itself; where it says nothing, how it was deployed."""
    health = host["health"] or {}
    if health.get("ready"):
        return host["setting"] or health.get("method")
    return f"not ready ({host['setting']})" if host["setting"] else None


def _unit(host: Mapping[str, Any], now: datetime) -> list[Text]:
    unit = host["unit"] or {}
    if unit.get("active") != "active":
        return [Text("–"), Text("–")]
    restarts = unit["restarts"]
    return [Text(age(unit["since"], now)), Text(str(restarts), style="yellow" if restarts else "")]


def _proof(host: Mapping[str, Any]) -> Text:
    proof = host["last_proof"]
    if not proof:
        return Text("–")
    when = "now" if proof["from"] == "now" else "at deploy"
    return Text(f"{'✓' if proof['ok'] else '✗'} {when}", style="green" if proof["ok"] else "bold red")


def _smoke(host: Mapping[str, Any], now: datetime) -> Text:
    smoke = host["last_smoke"]
    return Text(f"{smoke['verdict']}, {age(smoke['at'], now)} ago") if smoke else Text("–")


def _plain(value: object) -> Text:
    return Text(printable(str(value))) if value else Text("–")


def _block(host: Mapping[str, Any]) -> Iterator[Text]:
    """What is wrong with the host, or worth knowing; nothing for one that is as it should be."""
    lines = [*_trouble(host), *_drift(host)]
    lines += [Text(f"  {printable(note)}", style="dim") for note in host["notes"]]
    if lines:
        yield Text(f"\n{printable(host['host'])}", style="bold")
        yield from lines


def _trouble(host: Mapping[str, Any]) -> Iterator[Text]:
    if host.get("error"):
        yield Text.assemble(("  not reached: ", "bold red"), printable(host["error"]))
        yield Text.assemble(("    Remedy: ", "bold"), printable(host["remedy"]))
    if lock := host["lock"]:
        who = f"{lock['owner']}@{lock['host']} (pid {lock['pid']}) for {lock['purpose']}, run {lock['run']}"
        yield Text(printable(f"  locked by {who}, since {lock['since']}; no answer was asked for"))
    proof = host["last_proof"] or {}
    if not proof.get("ok", True):
        yield Text(printable(f"  last good generation: {proof.get('last_good') or 'none is known'}"))


def _drift(host: Mapping[str, Any]) -> Iterator[Text]:
    for drift in host["drift"]:
        yield Text.assemble("  ", (printable(drift["what"]), "bold yellow"))
        yield Text(printable(f"    declared: {drift['declared']}"))
        yield Text(printable(f"    actual:   {drift['actual']}"))
        yield Text.assemble(("    Remedy:   ", "bold"), printable(drift["remedy"]))


def _summary(hosts: Sequence[Mapping[str, Any]]) -> str:
    states = [host["state"] for host in hosts]
    counts = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
    return f"{len(hosts)} host{'' if len(hosts) == 1 else 's'}: {counts}. Nothing was changed."


def age(since: str | None, now: datetime) -> str:
    """The time since ``since`` (ISO 8601) in its largest unit; the text itself where it is no such moment."""
    try:
        seconds = (now - datetime.fromisoformat(str(since))).total_seconds()
    except (ValueError, TypeError):
        return since or "–"
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"
