"""How many tokens each verify step gave: what a draft is worth, seen from the client's side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from edgeops.bench import counting
from edgeops.report.page.arms import Series
from edgeops.report.page.drawing import LEFT, RIGHT, Drawing, Scale, Shape, Table, bar, label, said

_ROW = 22.0
_HEAD = 26.0


def steps(arms: Sequence[Series]) -> Drawing | None:
    """None when no counting pass of a drafting arm can be read as steps."""
    known = [(arm, sizes) for arm in arms if arm.records.k and (sizes := _sizes(arm))]
    if not known:
        return None
    scale = Scale(0.0, 1.0, LEFT + 74, RIGHT - 46)
    shapes: list[Shape] = []
    y = 4.0
    for arm, sizes in known:
        mean = sum(size * count for size, count in sizes.items()) / sizes.total()
        shapes.append(label(LEFT, y + 12, f"{arm.workload}, {arm.label}: mean {mean:.2f} tokens a step", "strong"))
        y += _HEAD
        for size in range(1, arm.records.k + 2):
            shapes += _row(size, sizes[size] / sizes.total(), arm.css, scale, y)
            y += _ROW
        y += 8
    return Drawing(
        title="Tokens a step",
        says="; ".join(
            f"{a.workload}, {a.label}: {said(_mean(s))} tokens a step of {a.records.k + 1}" for a, s in known
        ),
        height=y,
        shapes=tuple(shapes),
        table=Table(
            ("workload", "arm", "tokens a step", "steps"),
            tuple((a.workload, a.label, str(n), str(s[n])) for a, s in known for n in range(1, a.records.k + 2)),
        ),
        note="From an untimed pass. One token a step is plain decoding; k + 1 is the most. The bonus token counts.",
    )


def _sizes(arm: Series) -> Counter[int]:
    """Empty where a step seems larger than is possible: then several steps came in one event."""
    sizes = Counter(size for request in arm.records.counting for size in counting.step_sizes(request))
    return sizes if sizes and max(sizes) <= arm.records.k + 1 else Counter()


def _mean(sizes: Counter[int]) -> float:
    return sum(size * count for size, count in sizes.items()) / sizes.total()


def _row(size: int, share: float, css: str, scale: Scale, y: float) -> list[Shape]:
    end = scale(share)
    return [
        label(LEFT + 66, y + 13, f"{size} token{'s' if size > 1 else ''}", "tick end"),
        bar(scale.left, y + 1, (end - scale.left, _ROW - 5), f"fill {css}", f"{size}: {share:.1%}"),
        label(end + 5, y + 13, f"{share:.0%}", "tick"),
    ]
