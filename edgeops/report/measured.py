"""Measurements of many hosts in one table: a fleet is read by what stands out, not host by host."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from edgeops.report import smoke as one_by_one
from edgeops.report.smoke import STYLES, UNKNOWN, plain

Document = Mapping[str, Any]

FEW = 3
"""So many hosts are shown one by one, with everything that is known of each."""

_COLUMNS = ("", "arm", "TTFT ms", "decode tok/s", "gain, end to end", "verdict")


def show(console: Console, document: Document) -> None:
    """Print an ``edgeops.smoke/1`` document: a few hosts with everything, many as one table."""
    if len(document["hosts"]) > FEW:
        show_many(console, document["hosts"])
    else:
        one_by_one.show(console, document)


def show_many(console: Console, smokes: Sequence[Document]) -> None:
    """Print entries of ``edgeops.smoke/1`` as one table; below it what speaks against a host, or was not measured."""
    simulated = any(smoke["simulated"] for smoke in smokes)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), title_justify="left")
    table.title = Text("\nMeasured", style="bold").append("  SIMULATED" if simulated else "", style="bold magenta")
    for number, name in enumerate(_COLUMNS):
        table.add_column(name, justify="right" if number in (2, 3) else "left", no_wrap=True)
    for smoke in smokes:
        for row in _rows(smoke):
            table.add_row(*row)
    console.print(table)
    for smoke in smokes:
        for line in _against(smoke):
            console.print(line, soft_wrap=True)
    console.print(Text("Median TTFT and mean rate, plain → speculative. All of each host: `edgeops report`."))


def _rows(smoke: Document) -> Iterator[list[Text]]:
    """A line for each arm that is held against the baseline; for a lone arm its own."""
    several = len(smoke.get("workloads") or ()) > 1
    for workload in smoke.get("workloads") or ():
        arms: Mapping[str, Document] = workload["arms"]
        plain_arm = arms.get("baseline") if workload["speedup"] else None
        for arm in workload["speedup"] or arms:
            name = f"{workload['name']} {arm}" if several else arm
            pairs = [(each(plain_arm) if plain_arm else "", each(arms[arm])) for each in (_ttft, _decoding)]
            figures = [Text(f"{before} → {now}" if before else now) for before, now in pairs]
            yield [_name(smoke), Text(plain(name)), *figures, *_gain(workload["speedup"].get(arm), smoke)]


def _ttft(arm: Document) -> str:
    return _figure((arm["ttft_ms"] or {}).get("p50"))


def _decoding(arm: Document) -> str:
    return _figure((arm["decode_tok_s"] or {}).get("mean"))


def _figure(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.1f}"


def _gain(speedup: Document | None, smoke: Document) -> list[Text]:
    if speedup is None:
        return [Text(), Text(smoke["verdict"], style=STYLES[smoke["verdict"]])]
    sure = "" if speedup["lo"] is None else f" ({speedup['lo']:.2f} to {speedup['hi']:.2f})"
    gain = UNKNOWN if speedup["e2e"] is None else f"{speedup['e2e']:.2f}x{sure}"
    return [Text(gain), Text(speedup["verdict"], style=STYLES[speedup["verdict"]])]


def _against(smoke: Document) -> Iterator[Text]:
    if smoke.get("error"):
        yield _line(smoke, "not measured", smoke["error"]["message"])
    for guard in smoke.get("guards") or ():
        if guard["ok"] is False and guard["id"] != "arms":
            yield _line(smoke, f"guard {guard['id']} failed", guard["detail"])
    for gate in smoke.get("gates", ()):
        if not gate["ok"]:
            yield _line(smoke, f"gate {gate['gate']} failed", gate["detail"])
    for workload in (smoke.get("regression") or {}).get("workloads", ()):
        for arm, change in workload["arms"].items():
            if change["verdict"] == "slower":
                yield _line(smoke, f"{arm} slower than its last accepted run", f"{change['ratio']:.2f}x")


def _line(smoke: Document, what: str, detail: str) -> Text:
    return Text.assemble(_name(smoke), "  ", (plain(what), "yellow"), f": {plain(detail)}")


def _name(smoke: Document) -> Text:
    return Text(plain(smoke.get("host") or smoke.get("url")), style="bold")
