"""The answer as a picture: each speed-up with its interval, against "the same" and "worth it"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from edgeops.bench.verdict import USEFUL
from edgeops.report.confidence import percent
from edgeops.report.page.arms import named
from edgeops.report.page.drawing import RIGHT, Drawing, Scale, Shape, Table, axis, bar, dot, label, line, said

_ROW = 46.0
_TOP = 34.0

Row = tuple[str, str, Mapping[str, Any]]
"""Workload, arm, and the arm's ``speedup``."""


def gain(workloads: Sequence[Mapping[str, Any]], css: Mapping[str, str]) -> Drawing | None:
    """None when no speed-up is known."""
    every = [(one["name"], arm, speedup) for one in workloads for arm, speedup in one["speedup"].items()]
    rows = [row for row in every if row[2]["e2e"] is not None]
    if not rows:
        return None
    scale = _scale(rows)
    bottom = _TOP + _ROW * len(rows)
    shapes = [*_ground(scale, bottom), *axis(scale, bottom, "times the baseline's end-to-end rate")]
    for number, row in enumerate(rows):
        shapes += _interval(row, scale, _TOP + _ROW * number + 30, css.get(row[1], "arm-1"))
    head = ("workload", "arm", "speed-up", f"{percent(rows[0][2])} interval", "verdict")
    table = Table(head, tuple(_numbers(row) for row in rows))
    return Drawing(
        title="How much faster, and how sure",
        says="; ".join(_sentence(row) for row in rows),
        height=bottom + 36,
        shapes=tuple(shapes),
        table=table,
        note=f"The dot is the measured gain, the line its {percent(rows[0][2])} interval over prompts. "
        "Left of 1.00 is slower.",
    )


def _scale(rows: Sequence[Row]) -> Scale:
    values = [value for _, _, one in rows for value in (one["e2e"], one["lo"], one["hi"]) if value is not None]
    return Scale(min(0.9, min(values) - 0.05), max(1.15, max(values) * 1.04))


def _ground(scale: Scale, bottom: float) -> list[Shape]:
    same, useful = scale(1.0), scale(USEFUL)
    height = bottom - 20
    return [
        bar(scale.left, 20, (same - scale.left, height), "zone-worse"),
        bar(useful, 20, (scale.right - useful, height), "zone-better"),
        line(same, 20, same, bottom, "same"),
        label(max(same - 4, 44), 14, "slower", "tick end"),
        label(useful + 4, 14, f"worth it from {USEFUL:.2f}×", "tick"),
    ]


def _interval(row: Row, scale: Scale, y: float, css: str) -> list[Shape]:
    workload, arm, one = row
    shapes = []
    if one["lo"] is not None:
        shapes = [line(scale(one["lo"]), y, scale(one["hi"]), y, f"whisker {css}")]
        shapes += [line(scale(one[end]), y - 6, scale(one[end]), y + 6, f"whisker {css}") for end in ("lo", "hi")]
    shapes.append(dot(scale(one["e2e"]), y, 6.5, f"mark {css}", _sentence(row)))
    text = label(RIGHT - 6, y - 12, f"{workload}, {named(arm)}: {one['e2e']:.2f}×", "strong end")
    return [*shapes, text]


def _numbers(row: Row) -> tuple[str, ...]:
    workload, arm, one = row
    interval = "–" if one["lo"] is None else f"{one['lo']:.3f}× to {one['hi']:.3f}×"
    return workload, named(arm), f"{one['e2e']:.3f}×", interval, one["verdict"]


def _sentence(row: Row) -> str:
    workload, arm, one = row
    sure = "" if one["lo"] is None else f", {percent(one)} sure between {one['lo']:.2f}× and {one['hi']:.2f}×"
    return f"{workload}, {named(arm)}: {said(one['e2e'])}×{sure}, {one['verdict']}"
