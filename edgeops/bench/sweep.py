"""Several launches of one server made one result: each k against the baseline that was repeated beside it.

A launch is measured as any server is; its records are a part of their own. Rates of different launches are not
compared directly: what drifts from one start to the next cancels in the ratio. Only a vanilla baseline is a launch of
its own; it is measured before and after the others, so that a steady drift cancels, and a large one is noticed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from edgeops.bench import choice, statistics, verdict
from edgeops.bench.comparison import ArmRecords, Comparison, arm_records, k_of
from edgeops.bench.guards import Guard
from edgeops.bench.launches import VANILLA, Sweep, Unserved
from edgeops.bench.records import Header, Records
from edgeops.bench.result import BASELINE, Judged, arm_document, host_result, merged, workload_result
from edgeops.bench.verdict import Verdict

DRIFT = 0.03
"""Two launches of the same engine that differ by more say that the machine changed meanwhile."""


@dataclass(frozen=True)
class _Launches:
    """Those of one method, and what did not come up."""

    method: str
    parts: Sequence[Records]
    failed: Sequence[Unserved]
    confidence: float


def sweep_results(sweep: Sweep) -> list[dict[str, Any]]:
    """One entry of ``hosts`` in ``edgeops.smoke/1`` for each method; the plain launch alone where there is no other."""
    if not sweep.methods:
        return [{**host_result(part), "records": sweep.records} for part in sweep.vanilla[:1]]
    return [_method_result(sweep, method) for method in sweep.methods]


def _method_result(sweep: Sweep, method: str) -> dict[str, Any]:
    parts = [_against_vanilla(part, sweep.vanilla) if sweep.vanilla else part for part in sweep.of(method)]
    failed = [one for one in sweep.unserved if one.method == method or not one.k]
    header = parts[0].header if parts else None
    names = dict.fromkeys(
        [*(name for part in parts if part.header for name in part.header.workloads)]
        + [name for one in failed for name in one.workloads]
    )
    launches = _Launches(method, parts, failed, sweep.confidence)
    judged = [_with_drift(_workload(launches, name), sweep.vanilla, name) for name in names]
    found = [guard for _, these, _ in judged for guard in these]
    return {
        "host": sweep.host,
        "simulated": any(part.header.simulated for part in sweep.parts if part.header),
        "server": {
            "model": header.model if header else None,
            "version": header.version if header else None,
            "speculative_method": method,
            "baseline_kind": header.baseline_kind if header else None,
        },
        "workloads": [document for document, _, _ in judged],
        "guards": [_arms_guard(parts, failed), *merged(found)],
        "verdict": verdict.overall([one for _, _, verdicts in judged for one in verdicts]) if judged else _UNDECIDED,
        "records": sweep.records,
    }


def _workload(launches: _Launches, name: str) -> Judged:
    parts, failed, method, confidence = launches.parts, launches.failed, launches.method, launches.confidence
    arms: dict[str, Any] = {BASELINE: arm_document(_pooled(parts, name))}
    speedups: dict[str, Any] = {}
    found: list[Guard] = []
    for part in parts:
        assert part.header is not None
        document, these, _ = workload_result(part, part.header, name, confidence)
        arms |= {arm: figures for arm, figures in document["arms"].items() if arm != BASELINE}
        speedups |= {arm: {**one, "confidence": confidence} for arm, one in document["speedup"].items()}
        found += these
    for one in failed:
        arms.setdefault(one.arm, arm_document(ArmRecords(one.arm, one.k, (), (), ())))
        if one.k:
            speedups[one.arm] = _not_measured(one, confidence)
    decided = choice.choose(choice.scored(method, speedups))
    document = {
        "name": name,
        "arms": {arm: arms[arm] for arm in sorted(arms, key=k_of)},
        "speedup": {arm: speedups[arm] for arm in sorted(speedups, key=k_of)},
        "choice": decided.document(),
    }
    return document, found, [_word(decided, speedups)]


def _pooled(parts: Sequence[Records], name: str) -> ArmRecords:
    """The baseline of every launch. A vanilla one is the same in all parts, and counts once."""
    shared = any(header.baseline_kind == VANILLA for header in _headers(parts))
    found = [arm_records(part, name, BASELINE) for part in (parts[:1] if shared else parts)]
    return ArmRecords(
        name=BASELINE,
        k=0,
        timed=tuple(request for arm in found for request in arm.timed),
        counting=tuple(request for arm in found for request in arm.counting),
        known=tuple(request for arm in found for request in arm.known),
    )


def _with_drift(judged: Judged, vanilla: Sequence[Records], name: str) -> Judged:
    """``judged``, made inconclusive where two launches of the vanilla engine differ by more than ``DRIFT``."""
    if len(vanilla) < 2 or vanilla[0].header is None:
        return judged
    before, after = (arm_records(launch, name, BASELINE) for launch in (vanilla[0], vanilla[-1]))
    gain = statistics.speedup(Comparison(vanilla[0].header, before, after).rates())
    steady = gain is not None and abs(gain.e2e - 1) <= DRIFT
    told = f"{gain.e2e:.2f}x" if gain else "not known"
    detail = f"the vanilla engine after the sweep against before it: {told}; within {DRIFT:.0%} is steady"
    document, found, verdicts = judged
    if not steady:
        document["speedup"] = {
            arm: {**one, "verdict": _UNDECIDED, "reason": detail} for arm, one in document["speedup"].items()
        }
        verdicts = [Verdict("inconclusive", detail)]
    return document, [*found, Guard("drift", "validity", steady, detail)], verdicts


def _against_vanilla(part: Records, vanilla: Sequence[Records]) -> Records:
    """With the vanilla launches' baseline instead of its own: a block is paired with the same one of each."""
    header = part.header
    assert header is not None
    own = tuple(request for request in part.requests if request.step.arm != BASELINE)
    plain = tuple(request for launch in vanilla for request in launch.requests if request.step.arm == BASELINE)
    arms = (BASELINE, *(arm for arm in header.arms if arm != BASELINE))
    return replace(
        part,
        header=header.model_copy(update={"arms": arms, "baseline_kind": VANILLA, "one_arm_because": ""}),
        requests=(*plain, *own),
        samples=tuple(sample for launch in (*vanilla, part) for sample in launch.samples),
        conditions=tuple(one for launch in (*vanilla, part) for one in launch.conditions),
    )


def _not_measured(one: Unserved, confidence: float) -> dict[str, Any]:
    return {
        "e2e": None,
        "lo": None,
        "hi": None,
        "verdict": _UNDECIDED,
        "reason": f"{'not measured' if one.possible else 'ruled out'}: {one.reason}",
        "confidence": confidence,
        "possible": one.possible,
    }


def _word(decided: choice.Choice, speedups: dict[str, Any]) -> Verdict:
    """One word for a workload with several arms."""
    if decided.answer == "use":
        return Verdict("faster", decided.reason)
    if decided.answer == "off":
        words = {one["verdict"] for one in speedups.values()}
        return Verdict("slower" if words == {"slower"} else "no useful gain", decided.reason)
    return Verdict("inconclusive", decided.reason)


def _arms_guard(parts: Sequence[Records], failed: Sequence[Unserved]) -> dict[str, Any]:
    alone = [part.header.one_arm_because for part in parts if part.header and part.header.one_arm_because]
    said = [*(f"{one.arm} was not measured: {one.reason}" for one in failed), *alone]
    measured = [header.arms[-1] for header in _headers(parts)]
    return {"id": "arms", "ok": not said, "detail": "; ".join(said) or f"measured: {', '.join([BASELINE, *measured])}"}


def _headers(parts: Sequence[Records]) -> list[Header]:
    return [part.header for part in parts if part.header is not None]


_UNDECIDED = "inconclusive"
