"""End-to-end rates: baseline against each k, per workload, with intervals over prompts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from edgeops.bench import figures, statistics
from edgeops.bench.statistics import Interval
from edgeops.report.page.arms import Series
from edgeops.report.page.drawing import LEFT, RIGHT, Drawing, Scale, Shape, Table, axis, bar, label, line, said

_BAR = 24.0
_GAP = 6.0
_HEAD = 24.0


@dataclass(frozen=True)
class Rate:
    """The geometric mean over prompts in tokens a second, and its 95 % interval where there are two prompts or more."""

    mean: float
    interval: Interval | None
    prompts: int


def rate(arm: Series) -> Rate | None:
    """None when no request gave a figure."""
    logs: dict[str, list[float]] = {}
    for request in arm.records.good:
        value = figures.e2e_tok_s(request)
        if value:
            logs.setdefault(request.step.prompt, []).append(math.log(value))
    means = [math.fsum(values) / len(values) for values in logs.values()]
    if not means:
        return None
    interval = statistics.t_interval(means) if len(means) > 1 else None
    return Rate(math.exp(math.fsum(means) / len(means)), interval, len(means))


def rates(arms: Sequence[Series]) -> Drawing | None:
    """None when nothing was answered."""
    known = [(arm, found) for arm in arms if (found := rate(arm)) is not None]
    if not known:
        return None
    ends = [found.interval.hi if found.interval else found.mean for _, found in known]
    scale = Scale(0.0, max(ends) * 1.02)
    shapes: list[Shape] = []
    y = 4.0
    for workload in dict.fromkeys(arm.workload for arm, _ in known):
        shapes.append(label(LEFT, y + 12, workload, "strong"))
        y += _HEAD
        for arm, found in known:
            if arm.workload == workload:
                shapes += _row(arm, found, scale, y)
                y += _BAR + _GAP
    return Drawing(
        title="Speed, end to end",
        says="; ".join(f"{arm.workload}, {arm.label}: {said(found.mean)} tokens a second" for arm, found in known),
        height=y + 36,
        shapes=(*axis(scale, y, "tokens a second, send to last text", top=4.0), *shapes),
        table=Table(
            ("workload", "arm", "tok/s", "95 % interval", "prompts"),
            tuple(_numbers(arm, found) for arm, found in known),
        ),
        note="Geometric mean over prompts. The interval is wide where prompts differ; the gain is paired and surer.",
    )


def _row(arm: Series, found: Rate, scale: Scale, y: float) -> list[Shape]:
    end = scale(found.mean)
    shapes = [bar(LEFT, y, (end - LEFT, _BAR), f"fill {arm.css}", f"{arm.label}: {said(found.mean)} tok/s")]
    if found.interval:
        low, high, middle = scale(found.interval.lo), min(scale(found.interval.hi), RIGHT), y + _BAR / 2
        shapes.append(line(low, middle, high, middle, "interval"))
        shapes += [line(x, middle - 5, x, middle + 5, "interval") for x in (low, high)]
    return [*shapes, label(LEFT + 8, y + 16.5, f"{arm.label}  {said(found.mean)}", "inside")]


def _numbers(arm: Series, found: Rate) -> tuple[str, ...]:
    interval = f"{said(found.interval.lo)} to {said(found.interval.hi)}" if found.interval else "–"
    return arm.workload, arm.label, said(found.mean), interval, str(found.prompts)
