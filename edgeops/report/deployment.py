"""The result of a deploy for people: per host what changed and what serves now, or why not and what to do."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from edgeops.report import faults, measured, smoke

_STYLES = {"deployed": "bold green", "unchanged": "green", "rolled_back": "bold yellow", "refused": "bold red"}
_WORDS = {"rolled_back": "rolled back"}
_DONE = {"edgeops.rollback/1": "gone back", "edgeops.remove/1": "removed"}
"""The word for a host on which it was done; ``deployed`` otherwise."""

Refusal = tuple[str, Sequence[faults.Result]]
"""A refused host and its verdicts, as in ``edgeops.check/1``."""


def show(console: Console, document: Mapping[str, Any], refusals: Sequence[Refusal], *, dry_run: bool) -> None:
    """Print an ``edgeops.deploy/1`` document, the faults of refused hosts grouped below it."""
    done, hosts = _DONE.get(document["schema"], "deployed"), document["hosts"]
    smokes = [host["smoke"] for host in hosts if host["smoke"]]
    several = len(smokes) > measured.FEW
    for group in _alike(hosts, several=several):
        _show_host(console, [host["host"] for host in group], group[0], done, dry_run)
        if group[0]["smoke"] and not several:
            smoke.show_host(console, group[0]["smoke"])
    if several:
        measured.show_many(console, smokes)
    for line in faults.fault_lines(refusals):
        console.print(Text(line), soft_wrap=True)
    if refusals:
        console.print("Nothing was changed there.")
    if len(hosts) > 1:
        console.print(_summary(hosts, done, dry_run))


def _alike(hosts: Sequence[Mapping[str, Any]], *, several: bool) -> list[list[Mapping[str, Any]]]:
    """Hosts of which the very same would be said, together; the first of a group decides its place."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for host in hosts:
        left_out = {"host", "phases", "wave", *({"smoke"} if several else ())}
        said = {key: value for key, value in host.items() if key not in left_out}
        groups.setdefault(json.dumps(said, sort_keys=True), []).append(host)
    return list(groups.values())


def _show_host(console: Console, names: Sequence[str], host: Mapping[str, Any], done: str, dry_run: bool) -> None:
    outcome = host["outcome"]
    word = "plan" if dry_run and host["error"] is None else _WORDS.get(outcome, outcome)
    word = done if word == "deployed" else word
    title = Text.assemble(
        (", ".join(names), "bold"), "  ", (word, _STYLES.get(outcome, "bold red")), f"  {host['platform']}"
    )
    if host["simulated"]:
        title.append("  SIMULATED", style="bold magenta")
    console.print(title, soft_wrap=True)
    for change in host["changes"]:
        console.print(Text(f"  {'would ' if dry_run else ''}{change}"), soft_wrap=True)
    if dry_run and host["error"] is None and not host["changes"]:
        console.print("  nothing to change")
    if host["release"] and not dry_run:
        former = f" (before: {host['previous']})" if host["previous"] not in (None, host["release"]) else ""
        console.print(Text(f"  serves from release {host['release']}{former}"), soft_wrap=True)
    if host["error"] and outcome != "refused":
        _show_error(console, host["error"])


def _show_error(console: Console, error: Mapping[str, Any]) -> None:
    console.print(Text.assemble(("  Cause: ", "bold"), f"{error['message']} (in {error['phase']})"), soft_wrap=True)
    if error["remedy"]:
        console.print(Text.assemble(("  Remedy: ", "bold"), error["remedy"]), soft_wrap=True)
    if error["log_tail"]:
        console.print("  Its last lines:")
        for line in error["log_tail"]:
            console.print(Text(f"    {line}", style="dim"), soft_wrap=True)


def _summary(hosts: Sequence[Mapping[str, Any]], done: str, dry_run: bool) -> str:
    words = [_word(host, done, dry_run) for host in hosts]
    counts = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
    return f"{len(hosts)} hosts: {counts}"


def _word(host: Mapping[str, Any], done: str, dry_run: bool) -> str:
    if dry_run and host["error"] is None:
        return "to be changed" if host["changes"] else "unchanged"
    outcome = str(host["outcome"])
    return done if outcome == "deployed" else _WORDS.get(outcome, outcome)


def show_phases(console: Console, document: Mapping[str, Any]) -> None:
    """How long each phase of each host took, and why a host was refused."""
    for host in document["hosts"]:
        if host["outcome"] == "refused" and host["error"]:
            _show_error(console, host["error"])
        for phase in host["phases"]:
            line = (
                f"  {host['host']}  {phase['name']:<8} {phase['status']:<8}{phase['seconds']:6.1f} s  {phase['detail']}"
            )
            console.print(Text(smoke.plain(line.rstrip())), soft_wrap=True)
