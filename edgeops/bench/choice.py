"""Which of several ways to decode a host should use: from intervals to one setting, off, or no decision. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

SEVERAL_CONFIDENCE = 0.99
"""Of each interval where several arms are compared with a baseline: one of them is lucky more often than a lone one."""

Answer = Literal["use", "off", "inconclusive"]


@dataclass(frozen=True)
class Scored:
    """One measured arm: its end-to-end speed-up with its interval (None where there is none), and its verdict."""

    method: str
    k: int
    e2e: float | None
    lo: float | None
    hi: float | None
    verdict: str

    @property
    def name(self) -> str:
        return f"{self.method} k={self.k}"


@dataclass(frozen=True)
class Choice:
    """``use`` the ``method`` with ``k``; ``off`` is plain decoding; ``inconclusive`` keeps what runs."""

    answer: Answer
    reason: str
    method: str | None = None
    k: int | None = None

    def document(self) -> dict[str, Any]:
        return {"answer": self.answer, "method": self.method, "k": self.k, "reason": self.reason}


def scored(method: str, speedups: Mapping[str, Mapping[str, Any]]) -> list[Scored]:
    """The arms of a workload's ``speedup`` in an ``edgeops.smoke/1`` document, but for those that are not possible
    here: a decision does not wait for them.
    """
    return [
        Scored(method, int(arm[1:]), one["e2e"], one["lo"], one["hi"], one["verdict"])
        for arm, one in speedups.items()
        if one.get("possible", True)
    ]


def choose(arms: Sequence[Scored]) -> Choice:
    """The rule for one workload: the largest speed-up of those that are ``faster``; where its interval overlaps that of
    a smaller k, the smaller k. Without a faster one: off, unless an arm is undecided.
    """
    faster = [arm for arm in arms if arm.verdict == "faster" and arm.e2e and arm.lo and arm.hi]
    if faster:
        return _among(faster)
    undecided = [arm.name for arm in arms if arm.verdict == "inconclusive"]
    if undecided or not arms:
        return Choice("inconclusive", f"not decided: {', '.join(undecided) or 'nothing was measured'}")
    best = max(arms, key=lambda arm: arm.e2e or 0)
    return Choice("off", f"no speculation is worth it: {best.name} at best, {best.e2e or 0:.2f}x", "off", 0)


def _among(faster: Sequence[Scored]) -> Choice:
    best = max(faster, key=lambda arm: arm.e2e or 0)
    alike = [arm for arm in faster if (arm.hi or 0) >= (best.lo or 0)]
    chosen = min(alike, key=lambda arm: (arm.k, -(arm.e2e or 0)))
    reason = f"{chosen.name} is {chosen.e2e:.2f}x plain decoding ({chosen.lo:.2f}x to {chosen.hi:.2f}x)"
    if chosen is not best:
        reason += f"; {best.name} is {best.e2e:.2f}x, but the intervals overlap, so the smaller k"
    return Choice("use", reason, chosen.method, chosen.k)


def combine(choices: Mapping[str, Choice], arms: Mapping[str, Sequence[Scored]]) -> Choice:
    """One setting for all workloads: what each of them chooses, else the arm that is faster in all of them and gains
    most where it gains least. Both arguments are by workload.
    """
    distinct = {(choice.answer, choice.method, choice.k) for choice in choices.values()}
    if len(distinct) == 1:
        only = next(iter(choices.values()))
        named = len(choices) > 1
        return Choice(only.answer, _told(choices) if named else only.reason, only.method, only.k)
    if any(choice.answer == "inconclusive" for choice in choices.values()):
        return Choice("inconclusive", _told(choices))
    safe = _faster_everywhere(arms.values())
    if not safe:
        return Choice("inconclusive", f"the workloads disagree, and no setting is faster in all: {_told(choices)}")
    (method, k), gain = max(safe.items(), key=lambda item: (item[1], -item[0][1]))
    reason = f"{method} k={k} is faster in every workload, {gain:.2f}x or more; by themselves: {_told(choices)}"
    return Choice("use", reason, method, k)


def _faster_everywhere(workloads: Iterable[Sequence[Scored]]) -> dict[tuple[str, int], float]:
    """The arms that are faster in each workload, with their smallest speed-up."""
    found = [{(a.method, a.k): a.e2e for a in arms if a.verdict == "faster" and a.e2e} for arms in workloads]
    common = set.intersection(*(set(one) for one in found)) if found else set()
    return {arm: min(one[arm] for one in found) for arm in common}


def _told(choices: Mapping[str, Choice]) -> str:
    return "; ".join(f"{name}: {choice.reason}" for name, choice in choices.items())
