"""From records alone to the result of one host, as ``edgeops smoke --json`` prints it: nothing else goes in."""

from __future__ import annotations

from collections import Counter
from typing import Any

from edgeops.bench import counting, failures, figures, guards, statistics, verdict
from edgeops.bench.comparison import ArmRecords, Comparison, arm_records, k_of
from edgeops.bench.distribution import distribution
from edgeops.bench.records import Header, Records
from edgeops.bench.verdict import Verdict

BASELINE = "baseline"


def host_result(records: Records) -> dict[str, Any]:
    """One entry of ``hosts`` in ``edgeops.smoke/1``. Raises ValueError when the records hold no run."""
    header = records.header
    if header is None:
        raise ValueError("the records hold no line of kind 'run': they were cut off before anything was measured")
    judged = [workload_result(records, header, name) for name in header.workloads]
    verdicts = [one for _, _, found in judged for one in found]
    return {
        ("host" if header.url is None else "url"): header.host if header.url is None else header.url,
        "simulated": header.simulated,
        "server": {
            "model": header.model,
            "version": header.version,
            "speculative_method": header.method,
            "baseline_kind": header.baseline_kind,
        },
        "workloads": [workload for workload, _, _ in judged],
        "guards": [_alone(header), *merged([guard for _, found, _ in judged for guard in found])],
        "verdict": verdict.overall(verdicts) if verdicts else "inconclusive",
        "records": header.records,
        **({} if header.round_trip_ms is None else {"round_trip_ms": header.round_trip_ms}),
    }


Judged = tuple[dict[str, Any], list[guards.Guard], list[Verdict]]


def workload_result(records: Records, header: Header, name: str, confidence: float = statistics.CONFIDENCE) -> Judged:
    """The document of one workload, its guards and each speculative arm's verdict, on intervals of ``confidence``."""
    arms = {arm: arm_records(records, name, arm) for arm in header.arms}
    seen = (records.samples, records.conditions)
    compared = [arm for arm in arms.values() if BASELINE in arms and k_of(arm.name)]
    pairs = [Comparison(header, arms[BASELINE], arm, *seen) for arm in compared]
    found: list[guards.Guard] = []
    speedups, verdicts = {}, []
    for pair in pairs:
        these = guards.evaluate(pair)
        gain = statistics.speedup(pair.rates(), confidence)
        judged = verdict.judge(gain, these)
        speedups[pair.arm.name] = _speedup(gain, judged)
        found += these
        verdicts.append(judged)
    document = {
        "name": name,
        "arms": {arm: arm_document(requests) for arm, requests in arms.items()},
        "speedup": speedups,
    }
    return document, found, verdicts


def _speedup(gain: statistics.Speedup | None, judged: Verdict) -> dict[str, Any]:
    interval = gain.t_interval if gain else None
    return {
        "e2e": gain.e2e if gain else None,
        "lo": interval.lo if interval else None,
        "hi": interval.hi if interval else None,
        "verdict": judged.word,
        "reason": judged.reason + _also_resampled(gain),
    }


def _also_resampled(gain: statistics.Speedup | None) -> str:
    if gain is None or gain.bootstrap is None:
        return ""
    return f"; resampling the {gain.prompts} prompts gives {gain.bootstrap.lo:.2f}x to {gain.bootstrap.hi:.2f}x"


def arm_document(arm: ArmRecords) -> dict[str, Any]:
    """The JSON object ``ARM``. Its distributions are None when every request failed."""
    failed = Counter(reason for reason in map(failures.reason, arm.timed) if reason)
    counts = {"requests": len(arm.timed), "failed": dict(sorted(failed.items()))}
    if not arm.good:
        return {**counts, **dict.fromkeys(_FIGURES), "decode_upper_bound": False}
    first = arm.first_tokens
    decoded = [(request, first.get(request.step.prompt)) for request in arm.decoded]
    events = sum(len(figures.content_events(request)) for request in arm.good)
    values = {
        "ttft_ms": distribution(map(figures.ttft_ms, arm.good)).document(),
        "ttfa_ms": distribution(map(figures.ttfa_ms, arm.good)).document() if _thinks(arm) else None,
        "decode_tok_s": distribution(figures.decode_tok_s(request, n1) for request, n1 in decoded).document(),
        "tpot_ms": distribution(figures.tpot_ms(request, n1) for request, n1 in decoded).document(),
        "e2e_tok_s": distribution(map(figures.e2e_tok_s, arm.good)).document(),
        "tokens_per_event": sum(arm.known_values(figures.output_tokens)) / events,
        "tokens_per_step": counting.tokens_per_step(arm.counting, arm.k),
        "prompt_tokens": distribution(map(failures.prompt_tokens, arm.good)).document(),
        "output_tokens": distribution(map(figures.output_tokens, arm.good)).document(),
    }
    return {**counts, **values, "decode_upper_bound": _is_upper_bound(arm, first)}


_FIGURES = (
    "ttft_ms",
    "ttfa_ms",
    "decode_tok_s",
    "tpot_ms",
    "e2e_tok_s",
    "tokens_per_event",
    "tokens_per_step",
    "prompt_tokens",
    "output_tokens",
)


def _thinks(arm: ArmRecords) -> bool:
    return any(event.reasoning for request in arm.good for event in request.events)


def _is_upper_bound(arm: ArmRecords, first: dict[str, int]) -> bool:
    """Without ``n_1``, or with a hidden end token in the count, a decode rate can only be too high."""
    return any(r.step.prompt not in first or failures.finish_reason(r) != "length" for r in arm.decoded)


def _alone(header: Header) -> dict[str, Any]:
    because = header.one_arm_because
    return {"id": "arms", "ok": not because, "detail": because or f"measured: {', '.join(header.arms)}"}


def merged(found: list[guards.Guard]) -> list[dict[str, Any]]:
    """One line a guard: the first that failed, else the first that applies, over workloads and arms."""
    chosen: dict[str, guards.Guard] = {}
    rank = {False: 0, True: 1, None: 2}
    for guard in found:
        if guard.id not in chosen or rank[guard.ok] < rank[chosen[guard.id].ok]:
            chosen[guard.id] = guard
    return [{"id": guard.id, "ok": guard.ok, "detail": guard.detail} for guard in chosen.values()]
