"""The last measurement of each host, from the runs that this machine kept."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from edgeops.locations import RUNS
from edgeops.runs import Summary, open_index
from edgeops.runs.summary import result_file


def last_smokes(hosts: Collection[str], root: Path = RUNS) -> dict[str, dict[str, Any]]:
    """By host: ``run``, ``at``, ``verdict``, ``speedup`` by workload and arm (end to end), ``accepted``."""
    found: dict[str, dict[str, Any]] = {}
    with open_index(root) as index:
        runs = index.runs()
    for summary in runs:
        wanted = [host for host in summary.hosts if host.records and host.host in hosts and host.host not in found]
        entries = _entries(summary, root) if wanted else {}
        for host in wanted:
            if (smoke := entries.get(host.host)) is not None:
                found[host.host] = _told(summary, smoke) | {"accepted": host.accepted, "simulated": host.simulated}
    return found


def _entries(summary: Summary, root: Path) -> dict[str, dict[str, Any]]:
    """The smoke results of a run by host; a deploy has them inside its own."""
    try:
        document = json.loads(result_file(root / summary.name).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    hosts = document.get("hosts") if isinstance(document, dict) else None
    rows = [entry for entry in hosts if isinstance(entry, dict)] if isinstance(hosts, list) else []
    smokes = ((row.get("host"), row.get("smoke") if "outcome" in row else row) for row in rows)
    return {str(name): smoke for name, smoke in smokes if isinstance(smoke, dict)}


def _told(summary: Summary, smoke: dict[str, Any]) -> dict[str, Any]:
    workloads = smoke.get("workloads")
    speedups = {
        f"{workload.get('name')} {arm}": one.get("e2e")
        for workload in (workloads if isinstance(workloads, list) else [])
        if isinstance(workload, dict) and isinstance(workload.get("speedup"), dict)
        for arm, one in workload["speedup"].items()
        if isinstance(one, dict)
    }
    return {"run": summary.name, "at": summary.at, "verdict": smoke.get("verdict"), "speedup": speedups}
