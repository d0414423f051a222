"""A chart as a value: shapes with coordinates, drawn by one template (templates/report/drawing.html.j2).

All charts are ``WIDTH`` units wide, so that their text stays readable where a telephone shrinks them to four fifths.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

WIDTH = 440.0
LEFT, RIGHT = 8.0, 432.0

Attributes = dict[str, float | str]


@dataclass(frozen=True)
class Shape:
    """One SVG element. ``tip`` is what a pointer that rests on it is told, ``css`` its classes."""

    tag: str
    attributes: Attributes
    css: str = ""
    text: str = ""
    tip: str = ""


@dataclass(frozen=True)
class Table:
    """The numbers of a chart for those who cannot see it, or want them exactly."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Drawing:
    """``title`` heads it, ``says`` is a sentence that tells what it shows, ``note`` how to read it."""

    title: str
    says: str
    height: float
    shapes: tuple[Shape, ...]
    table: Table
    note: str = ""
    legend: bool = False
    """Whether colours alone tell the arms apart in it."""


@dataclass(frozen=True)
class Scale:
    """From values to x coordinates."""

    low: float
    high: float
    left: float = LEFT
    right: float = RIGHT

    def __call__(self, value: float) -> float:
        span = self.high - self.low or 1.0
        return round(self.left + (value - self.low) / span * (self.right - self.left), 1)

    def ticks(self, most: int = 5) -> list[float]:
        """Round values within, at most ``most`` or one more: steps of 1, 2 or 5 times a power of ten."""
        span = self.high - self.low
        if span <= 0:
            return [self.low]
        rough = span / most
        power = 10 ** math.floor(math.log10(rough))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(number * step, 10) for number in range(first, last + 1)]


def line(x1: float, y1: float, x2: float, y2: float, css: str) -> Shape:
    """A straight line."""
    return Shape("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2}, css)


def label(x: float, y: float, text: str, css: str = "") -> Shape:
    """Text with its baseline at ``y``; classes ``middle`` and ``end`` say what is at ``x``."""
    return Shape("text", {"x": x, "y": y}, css, text)


def bar(x: float, y: float, size: tuple[float, float], css: str, tip: str = "") -> Shape:
    """A rectangle of ``size`` (width, height)."""
    return Shape("rect", {"x": x, "y": y, "width": round(max(size[0], 0.5), 1), "height": size[1]}, css, tip=tip)


def dot(x: float, y: float, r: float, css: str, tip: str = "") -> Shape:
    """A filled circle."""
    return Shape("circle", {"cx": x, "cy": y, "r": r}, css, tip=tip)


def path(points: Sequence[tuple[float, float]], css: str) -> Shape:
    """One line through all points."""
    return Shape("path", {"d": "M" + "L".join(f"{x:g} {y:g}" for x, y in points)}, css)


def strokes(xs: Iterable[float], y: float, height: float, css: str) -> Shape:
    """Upright strokes as one element, however many there are."""
    return Shape("path", {"d": "".join(f"M{x:g} {y:g}v{height:g}" for x in xs)}, css)


def axis(scale: Scale, y: float, unit: str, top: float | None = None) -> list[Shape]:
    """Ticks with numbers below ``y``, faint lines up to ``top``, and the unit at the right end."""
    shapes: list[Shape] = []
    for tick in scale.ticks():
        x = scale(tick)
        shapes += [line(x, top, x, y, "grid")] if top is not None else []
        where = "middle" if LEFT + 14 < x < RIGHT - 14 else "end" if x > WIDTH / 2 else ""
        shapes.append(label(x, y + 15, f"{tick:g}", f"tick {where}".strip()))
    return [*shapes, line(scale.left, y, scale.right, y, "axis"), label(RIGHT, y + 30, unit, "tick end")]


def said(value: float | None, unit: str = "") -> str:
    """A figure for people: as many digits as matter."""
    if value is None:
        return "–"
    form = f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{form}{unit}"
