"""What was measured as rows, and the table that people read: ``python -m benchmarks.fleet.rows FILE`` prints it."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.fleet.watch import Watched

SCHEMA = "edgeops.benchmark.fleet/1"


@dataclass(frozen=True)
class Row:
    """One tool's run over ``hosts`` hosts. ``job``: ``first`` deploy or unchanged ``again``."""

    job: str
    hosts: int
    tool: str
    watched: Watched


def document(rows: Sequence[Row], machine: dict[str, object]) -> dict[str, Any]:
    """Everything observed, and the machine; figures are computed from it."""
    runs = [{"job": row.job, "hosts": row.hosts, "tool": row.tool, **asdict(row.watched)} for row in rows]
    return {"schema": SCHEMA, "simulated": True, "machine": machine, "runs": runs}


def table(result: dict[str, Any]) -> str:
    """Medians as Markdown; the last column is the wall time beside Ansible's."""
    lines = [
        "| job | hosts | tool | runs | wall s (min to max) | s a host | CPU s | tree MB | largest MB | of Ansible |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    groups: dict[tuple[str, int, str], list[dict[str, Any]]] = {}
    for run in result["runs"]:
        groups.setdefault((run["job"], run["hosts"], run["tool"]), []).append(run)
    walls = {key: statistics.median(run["wall_s"] for run in runs) for key, runs in groups.items()}
    for key in sorted(groups, key=lambda key: (key[0] != "first", key[1], list(groups).index(key))):
        lines.append(_line(key, groups[key], walls[key] / walls.get((key[0], key[1], "ansible"), walls[key])))
    return "\n".join(lines) + "\n"


def _line(key: tuple[str, int, str], runs: list[dict[str, Any]], ratio: float) -> str:
    job, hosts, tool = key
    walls = [run["wall_s"] for run in runs]
    wall = statistics.median(walls)
    middle = {name: statistics.median(run[name] for run in runs) for name in ("cpu_s", "tree_mb", "largest_mb")}
    words = {"first": "first deploy", "again": "unchanged redeploy"}[job]
    spread = f"{wall:.1f} ({min(walls):.1f} to {max(walls):.1f})" if len(walls) > 1 else f"{wall:.1f}"
    return (
        f"| {words} | {hosts} | {tool} | {len(walls)} | {spread} | {wall / hosts:.2f} | {middle['cpu_s']:.2f} "
        f"| {middle['tree_mb']:.0f} | {middle['largest_mb']:.0f} | {ratio:.2f} |"
    )


if __name__ == "__main__":
    sys.stdout.write(table(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
