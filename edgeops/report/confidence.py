"""How sure an interval of a speed-up is, in words: wider where several k were compared at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def percent(speedup: Mapping[str, Any]) -> str:
    """``95 %``, or what the result itself says."""
    return f"{speedup.get('confidence', 0.95) * 100:.0f} %"
