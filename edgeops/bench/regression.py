"""One smoke against an earlier one of the same host: paired by prompt, as the arms of one run are.

The two were not measured in turns, so what changed on the host meanwhile is part of the ratio: that is the question.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from edgeops.bench import figures, statistics
from edgeops.bench.comparison import arm_records, k_of
from edgeops.bench.records import Header, Records
from edgeops.bench.statistics import Speedup

BASELINE = "baseline"
UNCHANGED = (0.97, 1.03)
"""A change of at most 3 % either way is none that matters: the same share as for the verdict on a k."""

Word = Literal["faster", "unchanged", "slower", "inconclusive"]

WORK = ("temperature", "max_tokens", "enable_thinking", "thinking", "measured_from", "refused_fields")
"""What was asked, and how. Two runs that differ in one of these did different work, and are never compared."""


@dataclass(frozen=True)
class Change:
    """What became of one arm's end-to-end rate. ``gain`` is None when no prompt was answered in both runs."""

    workload: str
    arm: str
    gain: Speedup | None
    word: Word
    reason: str
    before: str = ""
    """The arm that it is held against, of the earlier run."""

    def document(self) -> dict[str, Any]:
        """``ratio`` is new over old; ``lo`` and ``hi`` its 95 % interval, null below two prompts."""
        gain = self.gain
        interval = gain.t_interval if gain else None
        return {
            "ratio": gain.e2e if gain else None,
            "lo": interval.lo if interval else None,
            "hi": interval.hi if interval else None,
            "prompts": gain.prompts if gain else 0,
            "verdict": self.word,
            "reason": self.reason,
            "against_arm": self.before or self.arm,
        }


def served_arm(header: Header) -> str:
    """The arm that users get: the running k where there is speculation, else the baseline."""
    running = f"k{header.k}"
    return running if running in header.arms else header.arms[-1] if header.arms else BASELINE


def is_same_work(new: Header, old: Header) -> bool:
    """Whether both runs asked the same server for the same: only then a ratio means anything."""
    same = (new.host, new.url, new.simulated) == (old.host, old.url, old.simulated)
    alike = all(new.fingerprint.get(key) == old.fingerprint.get(key) for key in WORK)
    return same and alike and bool(shared_workloads(new, old))


def shared_workloads(new: Header, old: Header) -> tuple[str, ...]:
    """The workloads that both runs measured, with the very same prompts."""
    now, before = (header.fingerprint.get("workload_sha256") for header in (new, old))
    if not isinstance(now, dict) or not isinstance(before, dict):
        return tuple(name for name in new.workloads if name in old.workloads) if now == before else ()
    return tuple(name for name in new.workloads if name in old.workloads and now.get(name) == before.get(name))


def differences(new: Header, old: Header) -> tuple[str, ...]:
    """What differs of the fingerprints, as ``version: 0.11.0 before, 0.11.1 now``. Empty: the very same setting."""
    before, now = _fingerprint(old), _fingerprint(new)
    keys = sorted(before.keys() | now.keys())
    unknown = [key for key in _RECORDED if before.get(key) is None or now.get(key) is None]
    changed = [key for key in keys if before.get(key) != now.get(key) and key not in unknown]
    return tuple(f"{key}: {_said(before.get(key))} before, {_said(now.get(key))} now" for key in changed)


def compare(new: Records, old: Records) -> list[Change]:
    """Each workload's arms that both runs have, and what users get even where it is another arm now: a speculative one
    is held against the k before it, or against the plain decoding before it. Who turns speculation off means to.
    """
    if new.header is None or old.header is None:
        return []
    served = (served_arm(new.header), served_arm(old.header))
    arms = [(arm, arm) for arm in new.header.arms if arm in old.header.arms]
    was_served = k_of(served[1]) or old.header.k == 0
    arms += [served] if served[0] not in dict(arms) and k_of(served[0]) and was_served else []
    shared = shared_workloads(new.header, old.header)
    return [_change(name, pair, new, old) for name in shared for pair in arms]


def judge(gain: Speedup | None) -> tuple[Word, str]:
    """One word and its reason. Surely slower is slower, however little, unless it surely does not matter."""
    if gain is None:
        return "inconclusive", "no prompt was answered in both runs"
    if gain.t_interval is None:
        return "inconclusive", "one prompt gives no interval: at least two are needed"
    lo, hi = gain.t_interval.lo, gain.t_interval.hi
    text = f"the interval, {lo:.3f}x to {hi:.3f}x,"
    if UNCHANGED[0] <= lo and hi <= UNCHANGED[1]:
        return "unchanged", f"{text} lies within 3 % of 1.00x"
    if hi < 1.0:
        return "slower", f"{text} lies below 1.00x"
    if lo > 1.0:
        return "faster", f"{text} lies above 1.00x"
    return "inconclusive", f"{text} holds 1.00x and reaches beyond 3 %: more prompts or blocks would tell"


def overall(changes: list[Change]) -> Word:
    """The worst that is sure, else what all agree on."""
    words = {change.word for change in changes}
    return "slower" if "slower" in words else words.pop() if len(words) == 1 else "inconclusive"


def _change(workload: str, arms: tuple[str, str], new: Records, old: Records) -> Change:
    before, now = _rates(old, workload, arms[1]), _rates(new, workload, arms[0])
    gain = statistics.speedup({prompt: [(before[prompt], now[prompt])] for prompt in now if prompt in before})
    return Change(workload, arms[0], gain, *judge(gain), before=arms[1])


def _rates(records: Records, workload: str, arm: str) -> dict[str, float]:
    """The geometric mean of each prompt's end-to-end rates over its blocks, in tokens a second."""
    logs: dict[str, list[float]] = {}
    for request in arm_records(records, workload, arm).good:
        rate = figures.e2e_tok_s(request)
        if rate:
            logs.setdefault(request.step.prompt, []).append(math.log(rate))
    return {prompt: math.exp(math.fsum(values) / len(values)) for prompt, values in logs.items()}


_RECORDED = ("tensorrt", "model_revision", "draft_revision")
"""What a host's record tells, which a deploy writes only after it has measured: not to know it is no difference."""
_SERVER = ("model", "version", "method", "k", "baseline_kind")
_NOT_THE_SERVER = ("repeat", "warmup", "deadline_s", "workload_sha256")
"""How much was measured makes a figure surer, not another one; only workloads that are shared are compared."""


def _fingerprint(header: Header) -> Mapping[str, Any]:
    kept = {key: value for key, value in header.fingerprint.items() if key not in _NOT_THE_SERVER}
    return {**_flat(kept), **{key: getattr(header, key) for key in _SERVER}}


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """Flags each under a name of its own, so that a difference names one flag and not all of them."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        found |= {f"{key} {name}": one for name, one in value.items()} if isinstance(value, dict) else {key: value}
    return found


def _said(value: object) -> str:
    return "not known" if value is None else str(value)
