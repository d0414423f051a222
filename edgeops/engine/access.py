"""How hosts may be entered: what the operator decided once for the whole run."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Access:
    """``password``: for sudo, None where sudo asks for none. ``accept_new``: remember unknown host keys, refuse
    changed ones."""

    password: str | None = field(default=None, repr=False)
    accept_new: bool = False
