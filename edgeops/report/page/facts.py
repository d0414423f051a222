"""What stands below the charts: what was measured on what, what failed, and where it ran."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from edgeops.bench import failures
from edgeops.bench.records import Header, Records, Request
from edgeops.report.page.arms import named

_LONGEST = 300
_PLATFORMS = (("GB10", "dgx-spark"), ("Thor", "jetson-thor"), ("Orin", "jetson-orin"))

Pair = tuple[str, str]


def fingerprints(records: Records) -> tuple[Pair, ...]:
    """What two runs must share to be compared, as names and texts."""
    header = records.header
    if header is None:
        return ()
    server = {
        "run": header.run,
        "host": header.host or header.url,
        "model": header.model,
        "server version": header.version,
        "method": header.method,
        "k": header.k,
        "baseline": header.baseline_kind,
        "workloads": ", ".join(header.workloads),
    }
    return tuple((key, _said(value)) for key, value in [*server.items(), *_flat(header.fingerprint)])


def failed_requests(records: Records) -> tuple[tuple[str, ...], ...]:
    """Workload, arm, reason, number, and what the first one said."""
    reasons = [(request, failures.reason(request)) for request in records.requests if request.step.phase == "timed"]
    failed = [((r.step.workload, r.step.arm, reason), r) for r, reason in reasons if reason]
    counts = Counter(key for key, _ in failed)
    first = dict(reversed(failed))
    return tuple((key[0], named(key[1]), key[2], str(n), _detail(first[key])) for key, n in sorted(counts.items()))


def platform(entry: Mapping[str, Any], header: Header | None) -> str | None:
    """``dgx-spark`` and the like, from what was recorded of the machine; None when nothing was."""
    fingerprint = header.fingerprint if header else {}
    told = entry.get("platform") or fingerprint.get("platform")
    if isinstance(told, str) and told != "unknown":
        return told
    names = " ".join(str(fingerprint.get(key)) for key in ("gpu", "board"))
    return next((platform for word, platform in _PLATFORMS if word in names), None)


def _detail(request: Request) -> str:
    error = next((event.error for event in request.events if event.error), "")
    return _short(request.detail or error)


def _flat(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key} ")
        else:
            yield f"{before}{key}", value


def _said(value: object) -> str:
    if value is None or value in ("", [], ()):
        return "–"
    return _short(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
