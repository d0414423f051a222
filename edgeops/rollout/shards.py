"""A deploy that was run by another control machine, or another job, as its directory tells: who was changed, when."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, get_args

from edgeops.deployment.report import SCHEMA, HostReport, Outcome, Trouble, report_of
from edgeops.errors import ConfigurationError
from edgeops.rollout.journal import JOURNAL, PLAN
from edgeops.runs.summary import kind_of

RESULT = "deploy.json"
_TOUCHED = ("deployed", "rolled_back", "failed")


@dataclass(frozen=True)
class Part:
    """One host in one run. ``began`` and ``ended``: its first and last sign in the journal, by that machine's clock."""

    run: str
    report: HostReport
    began: datetime
    ended: datetime

    @property
    def host(self) -> str:
        return self.report.host

    @property
    def touched(self) -> bool:
        """Whether the host may have been changed, or tried: what is unchanged, refused or skipped was not."""
        return self.report.outcome in _TOUCHED

    def overlaps(self, other: Part) -> bool:
        return self.began <= other.ended and other.began <= self.ended


@dataclass(frozen=True)
class Shard:
    """One run. ``digest``: SHA-256 of its journal and result."""

    run: str
    directory: Path
    parts: tuple[Part, ...]
    digest: str


def read_shard(directory: Path) -> Shard:
    """The deploy in ``directory``. Hosts of its plan that did not end are failed: nobody knows how they are.

    Raises ConfigurationError where there is no journal of a deploy, or its files cannot be read.
    """
    try:
        events, name = list(_events(directory / JOURNAL)), _name(directory)
        reports = {**_planned(directory, events), **_ended(events), **_finished(directory)}
        times = _times(events)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        remedy = "Give the whole directory of a deploy, as it is below .edgeops/runs."
        raise ConfigurationError(f"{directory} holds no deploy that can be read: {error}", remedy) from None
    parts = tuple(Part(name, report, *times.get(host, _NEVER)) for host, report in reports.items())
    return Shard(name, directory, parts, _digest(directory))


_NEVER = (datetime.max.replace(tzinfo=timezone.utc), datetime.min.replace(tzinfo=timezone.utc))
"""A host that was not begun overlaps with nothing."""


def _events(path: Path) -> Iterator[Mapping[str, Any]]:
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue  # the last line of a run that was killed may be half a line
        if isinstance(event, dict):
            yield event


def _planned(directory: Path, events: list[Mapping[str, Any]]) -> dict[str, HostReport]:
    """All hosts of the plan, as if none had ended."""
    plan = json.loads((directory / PLAN).read_text(encoding="utf-8"))
    begun = {event.get("host") for event in events}
    found = {}
    for number, wave in enumerate(plan["waves"], 1):
        for host in map(str, wave):
            found[host] = _unfinished(host, number, _name(directory), begun=host in begun)
    return found


def _unfinished(host: str, wave: int, run: str, *, begun: bool) -> HostReport:
    remedy = f"Go on there with `edgeops deploy --resume {run}`, or deploy the host again."
    if not begun:
        return HostReport(host, outcome="skipped", wave=wave, error=Trouble("rollout", "not begun", remedy))
    message = "the run ended before this host did; how it is, is not known"
    return HostReport(host, outcome="failed", wave=wave, error=Trouble("rollout", message, remedy))


def _ended(events: list[Mapping[str, Any]]) -> dict[str, HostReport]:
    return {str(event["host"]): _checked(event["report"]) for event in events if event.get("event") == "host"}


def _finished(directory: Path) -> dict[str, HostReport]:
    if not (directory / RESULT).is_file():
        return {}
    document = json.loads((directory / RESULT).read_text(encoding="utf-8"))
    if document["schema"] != SCHEMA:
        raise ValueError(f"{RESULT} is {document['schema']}, not {SCHEMA}")
    return {str(entry["host"]): _checked(entry) for entry in document["hosts"]}


def _checked(entry: Mapping[str, Any]) -> HostReport:
    """The report, as far as others rely on it. A joined run joined again says where its hosts come from: left out."""
    report = report_of({key: value for key, value in entry.items() if key != "from_run"})
    texts = [report.host, *report.changes, *(part for part in (report.release, report.previous) if part is not None)]
    if report.outcome not in get_args(Outcome) or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"the report of {str(report.host)[:60]!r} is none of edgeops'")
    if not isinstance(report.smoke, dict | None):
        raise TypeError("a smoke is an object or nothing")
    return report


def _times(events: list[Mapping[str, Any]]) -> dict[str, tuple[datetime, datetime]]:
    found: dict[str, tuple[datetime, datetime]] = {}
    for event in events:
        host = event.get("host")
        if isinstance(host, str):
            at = datetime.fromisoformat(str(event["at"])).astimezone(timezone.utc)
            began, ended = found.get(host, (at, at))
            found[host] = (min(began, at), max(ended, at))
    return found


def _name(directory: Path) -> str:
    """The run's own name: the directory may have been copied under another."""
    path = directory / RESULT
    name = json.loads(path.read_text(encoding="utf-8"))["run"] if path.is_file() else directory.resolve().name
    if kind_of(str(name)) != "deploy":
        raise ValueError(f"{str(name)[:60]!r} is no name of a deploy")
    return str(name)


def _digest(directory: Path) -> str:
    summary = hashlib.sha256()
    for name in (JOURNAL, RESULT):
        path = directory / name
        summary.update(path.read_bytes() if path.is_file() else b"")
    return summary.hexdigest()
