"""What a requirement says about a host, and the words in which it says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["pass", "warn", "fail", "skip"]

PREPARE = "edgeops prepare TARGET"
"""Stands in the remedies of what this command mends."""


@dataclass(frozen=True)
class Verdict:
    """One requirement, judged. ``why`` is a sentence for a newcomer, ``remedy`` a command where there is one."""

    id: str
    status: Status
    found: str
    wanted: str
    why: str
    remedy: str = ""


@dataclass(frozen=True)
class Finding:
    """What a requirement found, before it is filed under its id. An empty ``why`` means the requirement's own."""

    status: Status
    found: str
    wanted: str = ""
    remedy: str = ""
    why: str = ""


def passed(found: str, wanted: str = "") -> Finding:
    return Finding("pass", found, wanted or found)


def warned(found: str, wanted: str, remedy: str = "", why: str = "") -> Finding:
    return Finding("warn", found, wanted, remedy, why)


def failed(found: str, wanted: str, remedy: str = "", why: str = "") -> Finding:
    return Finding("fail", found, wanted, remedy, why)


def skipped(reason: str, wanted: str = "", remedy: str = "") -> Finding:
    """Not judged, and never a pass; ``reason`` says why."""
    return Finding("skip", reason, wanted, remedy)
