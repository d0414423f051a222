"""Past runs for people: one a line, the newest first."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from edgeops.report.smoke import plain
from edgeops.runs import HostSummary, Summary

_STYLES = {
    "faster": "green",
    "deployed": "green",
    "unchanged": "green",
    "slower": "red",
    "failed": "red",
    "rolled_back": "yellow",
    "damaged": "red",
}
_NAMED = 3


def table(runs: Sequence[Summary]) -> Table:
    """Name, time in UTC, hosts and outcome."""
    made = Table(box=None, pad_edge=False)
    for column in ("run", "when (UTC)", "hosts", "outcome"):
        made.add_column(column, no_wrap=column != "outcome", overflow="fold")
    for run in runs:
        when = plain(run.at[:19].replace("T", " "))
        outcome = Text(plain(run.outcome), style=_STYLES.get(run.outcome, "yellow"))
        if any(host.simulated for host in run.hosts):
            outcome.append("  SIMULATED", style="bold magenta")
        made.add_row(Text(plain(run.name)), when, Text(_hosts(run.hosts)), outcome)
    return made


def _hosts(hosts: Sequence[HostSummary]) -> str:
    named = ", ".join(plain(host.host) for host in hosts[:_NAMED])
    return named + (f" and {len(hosts) - _NAMED} more" if len(hosts) > _NAMED else "")
