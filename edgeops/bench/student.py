"""Quantiles of Student's t distribution, exact for whole degrees of freedom, without a numerical library.

Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4 (a finite sum for each whole number
of degrees of freedom).
"""

from __future__ import annotations

import math


def central_probability(t: float, degrees: int) -> float:
    """P(-t < T < t) for ``degrees`` >= 1 degrees of freedom."""
    angle = math.atan(t / math.sqrt(degrees))
    square = math.cos(angle) ** 2
    if degrees % 2:
        if degrees == 1:
            return 2 / math.pi * angle
        series = _series(math.cos(angle), square, range(2, degrees - 2, 2))
        return 2 / math.pi * (angle + math.sin(angle) * series)
    return math.sin(angle) * _series(1.0, square, range(1, degrees - 2, 2))


def _series(first: float, square: float, numerators: range) -> float:
    total, term = first, first
    for numerator in numerators:
        term *= square * numerator / (numerator + 1)
        total += term
    return total


def quantile(confidence: float, degrees: int) -> float:
    """The t with P(-t < T < t) = ``confidence``: 2.5706 for 0.95 and 5 degrees. By bisection to the last bit."""
    low, high = 0.0, 1.0
    while central_probability(high, degrees) < confidence:
        low, high = high, high * 2
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return middle
        if central_probability(middle, degrees) < confidence:
            low = middle
        else:
            high = middle
