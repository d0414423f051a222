"""One run in a line: what it was, when, over which hosts, how it ended. Read from its result file, however damaged."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

_NAME = re.compile(r"(\d{8}-\d{6})-([a-z]+)-[0-9a-f]{4}")

UNFINISHED = "unfinished"
"""No result file: interrupted, still going on, or nothing could be measured."""
DAMAGED = "damaged"


@dataclass(frozen=True)
class HostSummary:
    """One host's part. ``outcome`` is a deploy's outcome or a smoke's verdict; ``accepted`` as `accepts` says.

    ``records`` is the name of the file that the measured requests are in, inside the run's directory.
    """

    host: str
    outcome: str
    simulated: bool = False
    accepted: bool = False
    records: str | None = None


@dataclass(frozen=True)
class Summary:
    """One run. ``at`` is ISO 8601 in UTC, from its name."""

    name: str
    kind: str
    at: str
    outcome: str
    hosts: tuple[HostSummary, ...] = ()

    def document(self) -> dict[str, Any]:
        """As ``edgeops runs --json`` shows it."""
        return asdict(self)


def kind_of(name: str) -> str | None:
    """``smoke`` for ``20261130-164430-smoke-3f9a``; None for what is no name of a run."""
    found = _NAME.fullmatch(name)
    return found.group(2) if found and _time(found.group(1)) else None


def result_file(directory: Path) -> Path:
    """Where the run in ``directory`` keeps its result; for a directory of another name, the one that is there."""
    kind = kind_of(directory.name)
    there = [directory / f"{one}.json" for one in ("deploy", "smoke", "tune")]
    return directory / f"{kind}.json" if kind else next((path for path in there if path.is_file()), there[1])


def summarise(directory: Path) -> Summary:
    """The run in ``directory``."""
    name, kind = directory.name, kind_of(directory.name) or result_file(directory).stem
    found = _NAME.fullmatch(name)
    moment = _time(found.group(1)) if found else None
    at = moment.isoformat() if moment else ""
    try:
        document = json.loads(result_file(directory).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Summary(name, kind, at, UNFINISHED)
    except (OSError, ValueError, RecursionError):
        return Summary(name, kind, at, DAMAGED)
    entries = document.get("hosts") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        return Summary(name, kind, at, DAMAGED)
    hosts = tuple(_host(entry) for entry in entries if isinstance(entry, dict))
    return Summary(name, kind, at, _together(hosts), hosts)


def accepts(entry: Mapping[str, Any]) -> bool:
    """Whether a smoke may be what the next one is compared with: measured, all guards held, no gate failed.

    A gate that could not be evaluated says nothing against it: a gate on the last smoke must not keep the first out.
    """
    guards, gates = _dicts(entry.get("guards")), _dicts(entry.get("gates"))
    measured = not entry.get("error") and bool(entry.get("workloads")) and bool(guards)
    judged = [one for one in gates if one.get("evaluated") is not False]
    return measured and not any(one.get("ok") is False for one in (*guards, *judged))


_KEPT = (None, "deployed", "unchanged")
"""Outcomes of a deploy after which what was measured still serves; a smoke of its own has none."""


def _host(entry: dict[str, Any]) -> HostSummary:
    smoke = entry.get("smoke") if isinstance(entry.get("smoke"), dict) else entry
    records = smoke.get("records") if isinstance(smoke, dict) else None
    outcome = entry.get("outcome") or ("not measured" if entry.get("error") else entry.get("verdict"))
    return HostSummary(
        host=str(entry.get("host") or entry.get("url") or "?"),
        outcome=str(outcome or "?"),
        simulated=entry.get("simulated") is True,
        accepted=isinstance(smoke, dict) and entry.get("outcome") in _KEPT and accepts(smoke),
        records=Path(records).name if isinstance(records, str) and records else None,
    )


def _together(hosts: tuple[HostSummary, ...]) -> str:
    """One word where all agree; else each with its number: ``3 deployed, 1 failed``."""
    outcomes = [host.outcome for host in hosts]
    kinds = list(dict.fromkeys(outcomes))
    return kinds[0] if len(kinds) == 1 else ", ".join(f"{outcomes.count(one)} {one}" for one in kinds)


def _dicts(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _time(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y%m%d-%H%M%S").replace(tzinfo=timezone.utc)
    except ValueError:
        return None
