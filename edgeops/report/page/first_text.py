"""How long readers wait for the first text: every request a dot, the median a stroke."""

from __future__ import annotations

from collections.abc import Sequence

from edgeops.bench import figures
from edgeops.bench.distribution import distribution
from edgeops.report.page.arms import Series
from edgeops.report.page.drawing import LEFT, Drawing, Scale, Shape, Table, axis, dot, label, line, said

_LANE = 46.0
_HEAD = 22.0
_SPREAD = (0, -7, 7, -3.5, 3.5)
"""Vertical places, in turns, so that dots of one value lie beside one another."""


def first_text(arms: Sequence[Series]) -> Drawing | None:
    """None when no request gave a figure."""
    known = [(arm, values) for arm in arms if (values := sorted(arm.records.known_values(figures.ttft_ms)))]
    if not known:
        return None
    scale = _scale([value for _, values in known for value in values])
    shapes: list[Shape] = []
    y = 4.0
    for workload in dict.fromkeys(arm.workload for arm, _ in known):
        shapes.append(label(LEFT, y + 12, workload, "strong"))
        y += _HEAD
        for arm, values in known:
            if arm.workload == workload:
                shapes += _lane(arm, values, scale, y)
                y += _LANE
    return Drawing(
        title="Time to the first text",
        says="; ".join(f"{a.workload}, {a.label}: median {said(distribution(v).p50)} ms" for a, v in known),
        height=y + 36,
        shapes=(*axis(scale, y, "milliseconds after the send", top=4.0), *shapes),
        table=Table(
            ("workload", "arm", "requests", "min", "median", "p90", "max"),
            tuple(_numbers(arm, values) for arm, values in known),
        ),
        note="A dot is a request, the stroke the median. p90 needs 64 requests.",
    )


def _scale(values: Sequence[float]) -> Scale:
    """At least a tenth of the median either way, so that a difference that is none does not look like one."""
    middle = sorted(values)[len(values) // 2]
    low, high = min(*values, middle * 0.9), max(*values, middle * 1.1)
    return Scale(max(0.0, low - (high - low) * 0.04), high + (high - low) * 0.04)


def _lane(arm: Series, values: Sequence[float], scale: Scale, y: float) -> list[Shape]:
    middle, median = y + 27, distribution(values).p50 or 0.0
    x = scale(median)
    dots = [
        dot(scale(value), middle + _SPREAD[number % len(_SPREAD)], 3.5, f"spot {arm.css}", f"{said(value)} ms")
        for number, value in enumerate(values)
    ]
    text = label(LEFT, y + 8, f"{arm.label}, median {said(median)} ms", "tick")
    return [text, *dots, line(x, middle - 13, x, middle + 13, f"median {arm.css}")]


def _numbers(arm: Series, values: Sequence[float]) -> tuple[str, ...]:
    found = distribution(values)
    shown = (found.min, found.p50, found.p90, found.max)
    return arm.workload, arm.label, str(found.n), *(said(value) for value in shown)
