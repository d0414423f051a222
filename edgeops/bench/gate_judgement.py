"""Gates held against the result of one host, with a sentence and the numbers for each."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from edgeops.bench.gate_words import ALL_GUARDS
from edgeops.bench.gates import Gate

Document = Mapping[str, Any]

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_WORDS = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}


@dataclass(frozen=True)
class Outcome:
    """``ok``: it passed. ``evaluated`` False: it could not be judged, and ``ok`` says whether it may pass then."""

    gate: str
    ok: bool
    evaluated: bool
    detail: str

    def document(self) -> dict[str, Any]:
        """One entry of a host's ``gates`` in ``edgeops.smoke/1``."""
        return asdict(self)


@dataclass(frozen=True)
class Evidence:
    """One host's entry of ``edgeops.smoke/1``, the arm that users get, and the same of the last accepted smoke.

    ``ratios``: the paired ratio of the end-to-end rates, new over old, by workload and arm, where it is known.
    """

    entry: Document
    served: str
    last: Document | None = None
    last_served: str = ""
    ratios: Mapping[tuple[str, str], float] | None = None


def judge(gates: Sequence[Gate], evidence: Evidence) -> list[Outcome]:
    """Each gate, in the order given; with several workloads it must hold in each."""
    return [_flag(gate, evidence) if not gate.operator else _figure(gate, evidence) for gate in gates]


def _flag(gate: Gate, evidence: Evidence) -> Outcome:
    guards = [one for one in evidence.entry["guards"] if gate.name in (ALL_GUARDS, one["id"])]
    told = [one for one in guards if one["ok"] is not None]
    failed = [f"{one['id']}: {one['detail']}" for one in told if not one["ok"]]
    if failed:
        return Outcome(gate.text, False, True, "; ".join(failed))
    if not told:
        return _unknown(gate, f"the guard {gate.name} was not evaluated")
    return Outcome(gate.text, True, True, f"{len(told)} guards hold" if len(told) > 1 else str(told[0]["detail"]))


def _figure(gate: Gate, evidence: Evidence) -> Outcome:
    outcomes = [_in_workload(gate, evidence, workload) for workload in evidence.entry["workloads"]]
    if not outcomes:
        return _unknown(gate, "nothing was measured")
    worst = next((one for one in outcomes if not one.ok), None) or next((o for o in outcomes if not o.evaluated), None)
    return worst or Outcome(gate.text, True, True, "; ".join(one.detail for one in outcomes))


def _in_workload(gate: Gate, evidence: Evidence, workload: Document) -> Outcome:
    arm = gate.arm or evidence.served
    where = f"of {arm} in {workload['name']}"
    value = gate.metric.find(workload, arm)
    if value is None:
        return _unknown(gate, f"{gate.metric.label} {where} is not known")
    bound = _bound(gate, evidence, workload["name"], arm, value)
    if isinstance(bound, str):
        return _unknown(gate, bound)
    limit, how = bound
    wanted = f"{_WORDS[gate.operator]} {gate.metric.said(limit)}{how}"
    detail = f"{gate.metric.label} {where} is {gate.metric.said(value)}, wanted: {wanted}"
    return Outcome(gate.text, _COMPARE[gate.operator](value, limit), True, detail)


def _bound(gate: Gate, evidence: Evidence, name: str, arm: str, value: float) -> tuple[float, str] | str:
    """The limit and how it came about, or a sentence why there is none."""
    assert gate.bound is not None
    if not gate.bound.of_last:
        return gate.bound.number, ""
    if evidence.last is None:
        return "there is no accepted smoke of this host to compare with yet"
    before = next((one for one in evidence.last["workloads"] if one["name"] == name), None)
    figure = gate.metric.find(before, gate.arm or evidence.last_served) if before else None
    ratio = (evidence.ratios or {}).get((name, arm)) if gate.name == "e2e" else None
    if ratio:
        figure = value / ratio
    if figure is None:
        return f"the last accepted smoke does not have {gate.metric.label} of {arm} in {name}"
    paired = ", paired by prompt" if ratio else ""
    return gate.bound.number * figure, f" ({gate.bound.number:g} times the last, {gate.metric.said(figure)}{paired})"


def _unknown(gate: Gate, why: str) -> Outcome:
    allowed = "; it may pass then (?)" if gate.optional else "; end the gate with ? to let it pass then"
    return Outcome(gate.text, gate.optional, False, f"it cannot be evaluated: {why}{allowed}")
