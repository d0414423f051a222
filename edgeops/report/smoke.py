"""The result of a benchmark for people: the arms side by side, how sure the gain is, and what it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from edgeops.report.confidence import percent

Document = Mapping[str, Any]

STYLES = {"faster": "bold green", "slower": "bold red", "no useful gain": "bold yellow", "inconclusive": "bold yellow"}
_MEANING = {
    "faster": "keep speculative decoding on",
    "slower": "turn speculative decoding off",
    "no useful gain": "turn speculative decoding off",
    "inconclusive": "keep what runs",
}
_BASELINES = {
    "drafting_off": "the same server, asked to decode without drafts",
    "vanilla_engine": "an engine of its own, without speculation",
}
UNKNOWN = "–"


def show(console: Console, document: Document) -> None:
    """Print an ``edgeops.smoke/1`` document."""
    for number, host in enumerate(document["hosts"]):
        if number:
            console.print()
        show_host(console, host)


def show_host(console: Console, host: Document) -> None:
    """Print one entry of ``hosts``."""
    console.print(_title(host))
    if host.get("error"):
        _show_error(console, host["error"])
        return
    console.print(_server(host["server"], host["workloads"]))
    if host.get("round_trip_ms") is not None:
        way = f"this machine; {host['round_trip_ms']:.1f} ms there and back are in all times, and not subtracted"
        console.print(_line("Measured from", Text(way)))
    for workload in host["workloads"]:
        console.print(_table(workload))
        for arm, speedup in workload["speedup"].items():
            console.print(_gain(arm, speedup))
            console.print(_verdict(speedup))
        if len(workload["speedup"]) > 1 and workload.get("choice"):
            console.print(_line("Of these", Text(plain(workload["choice"]["reason"]))))
    if not any(workload["speedup"] for workload in host["workloads"]):
        console.print(_lone_verdict(host))
    _show_failed_guards(console, host["guards"])
    _show_regression(console, host.get("regression"))
    for gate in host.get("gates", ()):
        console.print(_gate(gate), soft_wrap=True)
    console.print(_line("Records", Text(plain(host["records"]), style="dim")), soft_wrap=True)


def _title(host: Document) -> Text:
    title = Text(plain(host.get("host") or host.get("url")), style="bold")
    if host["simulated"]:
        title.append("  SIMULATED", style="bold magenta")
        title.append("  the speed is scripted: it is no measurement of any hardware", style="magenta")
    return title


def _show_error(console: Console, error: Document) -> None:
    console.print(_line("Not measured", Text(plain(error["message"]))), soft_wrap=True)
    if error.get("remedy"):
        console.print(_line("Remedy", Text(plain(error["remedy"]))), soft_wrap=True)


def _server(server: Document, workloads: Sequence[Document]) -> Text:
    lines = [
        _line("Model", Text(plain(server["model"]))),
        _line("Server", Text(f"version {plain(server['version'])}, speculation: {_method(server)}")),
    ]
    if any("baseline" in workload["arms"] for workload in workloads) and server["baseline_kind"]:
        lines.append(_line("Baseline", Text(_BASELINES.get(server["baseline_kind"], plain(server["baseline_kind"])))))
    return Text("\n").join(lines)


def _method(server: Document) -> str:
    return plain(server["speculative_method"]) if server["speculative_method"] else "it does not say"


def _table(workload: Document) -> Table:
    arms: Mapping[str, Document] = workload["arms"]
    table = Table(title=f"\nWorkload {plain(workload['name'])}", title_justify="left", title_style="bold", box=None)
    table.add_column("", no_wrap=True)
    for name in arms:
        table.add_column(plain(name), justify="right", style="bold" if name != "baseline" else "")
    for label, cell in _ROWS:
        table.add_row(label(arms) if callable(label) else label, *(cell(arm) for arm in arms.values()))
    return table


def _decode_label(arms: Mapping[str, Document]) -> str:
    bound = any(arm["decode_upper_bound"] for arm in arms.values())
    return "decoding, mean tok/s (upper bound)" if bound else "decoding, mean tok/s"


def _figure(name: str, value: str, form: str = ".1f") -> Any:
    def cell(arm: Document) -> str:
        found = (arm[name] or {}).get(value)
        return UNKNOWN if found is None else format(found, form)

    return cell


def _range(name: str) -> Any:
    def cell(arm: Document) -> str:
        found = arm[name] or {}
        if found.get("mean") is None:
            return UNKNOWN
        low, high = round(found["min"]), round(found["max"])
        return f"{found['mean']:.0f}" + ("" if low == high else f" ({low}–{high})")

    return cell


def _tokens_per_step(arm: Document) -> str:
    found = arm["tokens_per_step"]
    return "not measurable" if found is None else f"{found:.2f}"


def _failed(arm: Document) -> str:
    total = sum(arm["failed"].values())
    reasons = ", ".join(f"{reason} {count}" for reason, count in arm["failed"].items())
    return f"{total} of {arm['requests']}" + (f": {reasons}" if reasons else "")


_ROWS: tuple[tuple[Any, Any], ...] = (
    ("time to first text, median ms", _figure("ttft_ms", "p50")),
    (_decode_label, _figure("decode_tok_s", "mean")),
    ("end to end, mean tok/s", _figure("e2e_tok_s", "mean")),
    ("tokens a step, with the bonus token", _tokens_per_step),
    ("prompt tokens", _range("prompt_tokens")),
    ("answer tokens", _range("output_tokens")),
    ("requests failed", _failed),
)


def _gain(arm: str, speedup: Document) -> Text:
    if speedup["e2e"] is None:
        return _line("Gain", Text("not known: no prompt was answered in both arms"))
    text = Text(f"{plain(arm)} is {speedup['e2e']:.2f}x the baseline, end to end")
    if speedup["lo"] is not None:
        text.append(f"; {percent(speedup)} sure between {speedup['lo']:.2f}x and {speedup['hi']:.2f}x")
    return _line("Gain", text)


def _verdict(speedup: Document) -> Text:
    word = speedup["verdict"]
    text = Text.assemble((word, STYLES[word]), f" ({_MEANING[word]}): {plain(speedup['reason'])}")
    return _line("Verdict", text)


def _lone_verdict(host: Document) -> Text:
    reason = next((plain(guard["detail"]) for guard in host["guards"] if guard["id"] == "arms"), "")
    return _line("Verdict", Text.assemble((host["verdict"], STYLES[host["verdict"]]), f": {reason}" if reason else ""))


def _show_failed_guards(console: Console, guards: Sequence[Document]) -> None:
    for guard in guards:
        if guard["ok"] is False and guard["id"] != "arms":
            detail = Text.assemble((f"{plain(guard['id'])}: ", "yellow"), plain(guard["detail"]))
            console.print(_line("Guard failed", detail))


def _show_regression(console: Console, regression: Document | None) -> None:
    """Against the last accepted run: each arm in a line, and what else is different."""
    if not regression:
        return
    for workload in regression["workloads"]:
        for arm, change in workload["arms"].items():
            console.print(_line("Since the last", _change(workload["name"], arm, change)), soft_wrap=True)
    against = f"accepted run {plain(regression['against'])}"
    differs = "; ".join(plain(line) for line in regression["differs"])
    told = f"{against}, on other fingerprints: {differs}" if differs else f"{against}, on the same fingerprints"
    console.print(_line("The last", Text(told, style="dim")), soft_wrap=True)


def _change(workload: str, arm: str, change: Document) -> Text:
    if change["ratio"] is None:
        return Text(f"{plain(arm)} in {plain(workload)}: {plain(change['reason'])}")
    sure = "" if change["lo"] is None else f", 95 % sure between {change['lo']:.2f}x and {change['hi']:.2f}x"
    style = STYLES.get(change["verdict"], "green" if change["verdict"] == "unchanged" else "yellow")
    text = Text(f"{plain(arm)} in {plain(workload)} ")
    return text.append(change["verdict"], style=style).append(f", {change['ratio']:.2f}x{sure}")


def _gate(gate: Document) -> Text:
    word, style = ("holds", "green") if gate["ok"] else ("failed", "bold red")
    text = Text.assemble(f"{plain(gate['gate'])} ", (word, style), f": {plain(gate['detail'])}")
    return _line("Gate", text)


def _line(label: str, text: Text) -> Text:
    return Text.assemble((f"{label}: ", "bold")) + text


def plain(value: object) -> str:
    """``value`` as text that cannot drive a terminal: what a server says of itself may hold anything."""
    text = "not known" if value is None else str(value)
    return "".join(character if character.isprintable() else "�" for character in text)
