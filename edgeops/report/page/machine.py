"""The machine while it was measured: clocks, power, temperature and memory, where its host told them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from edgeops.bench.records import Records
from edgeops.report.page.drawing import LEFT, Drawing, Scale, Shape, Table, axis, bar, label, path, said

_LANE = 86.0
_PLOT = 52.0
_BUCKETS = 200
"""Points a line; each keeps the lowest and the highest value of its time, so that no dip is lost."""

Points = list[tuple[float, float]]


@dataclass(frozen=True)
class Quantity:
    label: str
    unit: str
    find: Callable[[Any], float | None]


def _reading(name: str, factor: float = 1.0) -> Callable[[Any], float | None]:
    def find(sample: Any) -> float | None:
        value = getattr(sample, name, None)
        return None if value is None else float(value) * factor

    return find


QUANTITIES = (
    Quantity("GPU clock", " MHz", _reading("sm_mhz")),
    Quantity("GPU power", " W", _reading("power_w")),
    Quantity("GPU temperature", " °C", _reading("temperature_c")),
    Quantity("memory available", " GiB", _reading("mem_available_kib", 1 / 2**20)),
)


def machine(records: Records) -> Drawing | None:
    """None where nothing was sampled. Time starts with the first timed request, whose span is shaded."""
    timed = [request for request in records.requests if request.step.phase == "timed"]
    samples = _samples(records)
    if not timed or not samples:
        return None
    begin = min(request.sent_ns for request in timed)
    end = max(request.sent_ns + (request.events[-1].t if request.events else 0) for request in timed)
    lines = [(quantity, _points(quantity, samples, begin)) for quantity in QUANTITIES]
    known = [(quantity, points) for quantity, points in lines if len(points) > 1]
    if not known:
        return None
    times = [x for _, points in known for x, _ in points]
    scale = Scale(min(0.0, *times), max((end - begin) / 1e9, *times))
    shapes = [shape for n, one in enumerate(known) for shape in _lane(*one, scale, n * _LANE + 4)]
    bottom = _LANE * len(known)
    span = bar(scale(0.0), 4, (scale((end - begin) / 1e9) - scale(0.0), bottom - 4), "timed", "the timed requests")
    return Drawing(
        title="The machine meanwhile",
        says="; ".join(f"{quantity.label} {_range(quantity, points)}" for quantity, points in known),
        height=bottom + 36,
        shapes=(span, *axis(scale, bottom, "seconds since the first timed request"), *shapes),
        table=Table(("quantity", "lowest", "mean", "highest"), tuple(_numbers(*one) for one in known)),
        note="Shaded: the timed requests. Sampled beside them, never inside their path. Each line has its own scale.",
    )


def _samples(records: Records) -> Sequence[Any]:
    """Of the machine; a request's own look at the memory stands in where there are none."""
    found: Sequence[Any] = getattr(records, "samples", ())
    return found or [_Look(request.sent_ns, request.before.mem_available_kib) for request in records.requests]


@dataclass(frozen=True)
class _Look:
    t: int
    mem_available_kib: int | None


def _points(quantity: Quantity, samples: Sequence[Any], begin: int) -> Points:
    """Seconds and values in the order of time, thinned to the extremes of each bucket."""
    found = sorted(((s.t - begin) / 1e9, v) for s in samples if s.t and (v := quantity.find(s)) is not None)
    if len(found) <= 2 * _BUCKETS:
        return found
    size = -(-len(found) // _BUCKETS)
    kept: Points = []
    for start in range(0, len(found), size):
        bucket = found[start : start + size]
        kept += sorted({min(bucket, key=lambda point: point[1]), max(bucket, key=lambda point: point[1])})
    return kept


def _lane(quantity: Quantity, points: Points, scale: Scale, top: float) -> list[Shape]:
    values = [value for _, value in points]
    low, high = min(values), max(values)
    span, base = high - low, top + 22 + _PLOT
    flat = span <= abs(high) * 1e-6
    curve = [(scale(x), round(base - (0.5 if flat else (value - low) / span) * _PLOT, 1)) for x, value in points]
    return [
        label(LEFT, top + 13, f"{quantity.label}: {_range(quantity, points)}", "strong"),
        path(curve, "curve"),
    ]


def _range(quantity: Quantity, points: Points) -> str:
    values = [value for _, value in points]
    low, high = said(min(values)), said(max(values))
    return f"{low}{quantity.unit}" if low == high else f"{low} to {high}{quantity.unit}"


def _numbers(quantity: Quantity, points: Points) -> tuple[str, ...]:
    values = [value for _, value in points]
    mean = sum(values) / len(values)
    return quantity.label, *(said(value, quantity.unit) for value in (min(values), mean, max(values)))
