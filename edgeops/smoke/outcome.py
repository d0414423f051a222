"""The document that ``edgeops smoke --json`` prints, made anew from a run's records at any time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from edgeops.bench import record_lines
from edgeops.bench.result import host_result
from edgeops.errors import EdgeopsError

SCHEMA = "edgeops.smoke/1"
FILE = "smoke.json"


def document(run: str, hosts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The whole answer of one call."""
    return {"schema": SCHEMA, "run": run, "hosts": list(hosts)}


def recompute(directory: Path) -> dict[str, Any]:
    """The document of the run in ``directory`` from its records alone. Raises EdgeopsError when it has none."""
    files = sorted(directory.glob("records-*.jsonl"))
    if not files:
        raise EdgeopsError(f"no records in {directory}")
    try:
        hosts = [host_result(record_lines.read(file.read_text(encoding="utf-8").splitlines())) for file in files]
    except (OSError, ValueError) as error:
        raise EdgeopsError(f"the records in {directory} cannot be read: {error}") from None
    return document(directory.name, hosts)


def exit_code(whole: dict[str, Any]) -> int:
    """0 when every host has a verdict, whatever it is; else 1."""
    return 0 if all(succeeded(host) for host in whole["hosts"]) else 1


def succeeded(host: dict[str, Any]) -> bool:
    """Whether a verdict was reached: no error, and no arm in which every request failed."""
    arms = [arm for workload in host["workloads"] for arm in workload["arms"].values()]
    return "error" not in host and bool(arms) and all(arm["ttft_ms"] is not None for arm in arms)
