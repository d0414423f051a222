"""What a guard says: whether it holds, and why in a sentence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """``ok`` is None where the guard does not apply."""

    ok: bool | None
    detail: str
