"""What must hold before a verdict means anything (validity), and before a faster arm may be recommended (harm).

``ok`` is None where a guard does not apply. One that applies and cannot be evaluated counts as failed. Each guard is
one function of a comparison; those on the machine (clocks, memory, other users) are in surroundings.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from edgeops.bench import failures, figures, statistics, surroundings
from edgeops.bench.comparison import ArmRecords, Comparison
from edgeops.bench.distribution import distribution
from edgeops.bench.finding import Finding
from edgeops.bench.records import Request
from edgeops.bench.repetition import is_degenerate

Kind = Literal["validity", "harm"]

FAILED_SHARE = 1 / 20
TEXT_PER_TOKEN = (0.5, 12.0)
TTFT_RATIO = 1.10
LENGTH_RATIO = (0.9, 1.1)


@dataclass(frozen=True)
class Guard:
    id: str
    kind: Kind
    ok: bool | None
    detail: str


def idle(pair: Comparison) -> Finding:
    """No other request active or queued before any timed one."""
    states = [request.before for arm in (pair.baseline, pair.arm) for request in arm.timed]
    told = [(s.active_requests, s.queued_requests) for s in states if s.active_requests is not None]
    if not told and pair.header.url is not None:
        return Finding(None, "the server does not say how many requests it has")
    busy = sum(1 for active, queued in told if active or queued)
    if len(told) < len(states):
        return Finding(False, f"/health did not say {len(states) - len(told)} times whether the server was idle")
    return Finding(not busy, f"another request was active or queued {busy} times of {len(states)}")


def method(pair: Comparison) -> Finding:
    """Before each request of the speculative arm /health says the method that is measured."""
    wanted = pair.header.method_wanted or pair.header.method
    said = {request.before.speculative_method for request in pair.arm.timed}
    if not said or said == {None}:
        return Finding(False, "the server does not say whether it decodes speculatively")
    names = ", ".join(sorted(str(name) for name in said))
    if wanted is None:
        return Finding("none" not in said and None not in said, f"the server says: {names}")
    return Finding(said == {wanted}, f"the server says {names}, wanted is {wanted}")


def possible(pair: Comparison) -> Finding:
    """No speed-up above ``k + 1``: a verify step yields at most so many tokens, so more is a broken measurement."""
    bound = pair.arm.k + 1
    speedup = statistics.speedup(pair.rates())
    if speedup is None:
        return Finding(False, "no prompt was answered in both arms")
    ratios = [speedup.e2e, *_decode_ratio(pair)]
    return Finding(max(ratios) <= bound, f"speed-up {max(ratios):.2f}x; {bound} tokens a step are the most possible")


def _decode_ratio(pair: Comparison) -> list[float]:
    means = [_mean_decode(pair.baseline), _mean_decode(pair.arm)]
    return [means[1] / means[0]] if means[0] and means[1] else []


def _mean_decode(arm: ArmRecords) -> float | None:
    first = arm.first_tokens
    return distribution(figures.decode_tok_s(r, first.get(r.step.prompt)) for r in arm.decoded).mean


def prompt_tokens(pair: Comparison) -> Finding:
    """Stated, above zero and equal within each pair: otherwise the arms did not get the same work."""
    stated = [(failures.prompt_tokens(one), failures.prompt_tokens(other)) for one, other in pair.pairs()]
    unequal = sum(1 for one, other in stated if not one or one != other)
    if not stated:
        return Finding(False, "no prompt was answered in both arms")
    return Finding(not unequal, f"prompt tokens differ or are missing in {unequal} of {len(stated)} pairs")


def text_per_token(pair: Comparison) -> Finding:
    """Visible characters per token of usage within 0.5 to 12, in each arm: outside, tokens are counted wrongly."""
    low, high = TEXT_PER_TOKEN
    found = [_characters_per_token(arm) for arm in (pair.baseline, pair.arm)]
    if None in found:
        return Finding(False, "an arm has no answer to count")
    text = " and ".join(f"{value:.1f}" for value in found if value is not None)
    within = all(low <= value <= high for value in found if value is not None)
    return Finding(within, f"{text} characters a token; {low:g} to {high:g} are plausible")


def _characters_per_token(arm: ArmRecords) -> float | None:
    tokens = sum(failures.completion_tokens(request) or 0 for request in arm.good)
    characters = sum(event.content + event.reasoning + event.tool for r in arm.good for event in r.events)
    return characters / tokens if tokens else None


def failed_requests(pair: Comparison) -> Finding:
    """At most one request in twenty of an arm failed."""
    arms = (pair.baseline, pair.arm)
    texts = [f"{arm.name}: {len(arm.timed) - len(arm.good)} of {len(arm.timed)}" for arm in arms]
    few = all(arm.timed and len(arm.timed) - len(arm.good) <= FAILED_SHARE * len(arm.timed) for arm in arms)
    return Finding(few, f"requests failed ({', '.join(texts)}); one in twenty is the most allowed")


def ttft(pair: Comparison) -> Finding:
    """The arm's median time to first text is at most 1.10 of the baseline's, or not surely later prompt by prompt.

    The second half keeps the noise of a few requests on a busy machine from being taken for harm.
    """
    before = distribution(pair.baseline.known_values(figures.ttft_ms)).p50
    after = distribution(pair.arm.known_values(figures.ttft_ms)).p50
    if not before or after is None:
        return Finding(False, "an arm has no time to first text")
    late = after > TTFT_RATIO * before and _is_surely_later(pair)
    return Finding(not late, f"median time to first text {after:.0f} ms against {before:.0f} ms")


def _is_surely_later(pair: Comparison) -> bool:
    """Whether even the low end of the interval over prompts is later; with a single prompt the medians alone decide."""
    found: dict[str, list[tuple[float, float]]] = {}
    for request, other in pair.pairs():
        before, after = figures.ttft_ms(request), figures.ttft_ms(other)
        if before and after:
            found.setdefault(request.step.prompt, []).append((before, after))
    ratios = statistics.log_ratios(found)
    return len(ratios) < 2 or statistics.t_interval(ratios).lo > 1.0


def output_length(pair: Comparison) -> Finding:
    """The arm's mean answer is between 0.9 and 1.1 of the baseline's length."""
    before = pair.baseline.known_values(figures.output_tokens)
    after = pair.arm.known_values(figures.output_tokens)
    if not before or not after:
        return Finding(False, "an arm has no answer to measure")
    ratio = fmean(after) / fmean(before)
    return Finding(LENGTH_RATIO[0] <= ratio <= LENGTH_RATIO[1], f"answers are {ratio:.2f} of the baseline's length")


def known_answers(pair: Comparison) -> Finding:
    """Questions with one right answer are answered rightly by the arm."""
    asked = pair.arm.known
    if not asked:
        return Finding(False, "no question with a known answer was asked")
    wrong = [request.step.prompt for request in asked if not is_right(request)]
    return Finding(not wrong, f"wrong answers: {', '.join(wrong)}" if wrong else f"{len(asked)} of {len(asked)} right")


def is_right(request: Request) -> bool:
    """Whether an accepted answer stands in the text as a word of its own."""
    words = "|".join(re.escape(answer) for answer in request.step.expect)
    answered = failures.reason(request) is None and bool(words)
    return answered and re.search(rf"(?<!\w)(?:{words})(?!\w)", request.text, re.IGNORECASE) is not None


def repetition(pair: Comparison) -> Finding:
    """No answer of the arm runs in circles: such text is easy to draft, and the gain would be one of its own."""
    circling = sum(1 for request in pair.arm.good if is_degenerate(request.text or request.reasoning))
    return Finding(not circling, f"{circling} of {len(pair.arm.good)} answers repeat themselves")


GUARDS: tuple[tuple[str, Kind, Callable[[Comparison], Finding]], ...] = (
    ("idle", "validity", idle),
    ("method", "validity", method),
    ("possible", "validity", possible),
    ("prompt_tokens", "validity", prompt_tokens),
    ("text_per_token", "validity", text_per_token),
    ("failures", "validity", failed_requests),
    ("throttling", "validity", surroundings.throttling),
    ("clocks", "validity", surroundings.clocks),
    ("power_mode", "validity", surroundings.power_mode),
    ("memory", "validity", surroundings.memory),
    ("gpu_users", "validity", surroundings.gpu_users),
    ("load", "validity", surroundings.load),
    ("ttft", "harm", ttft),
    ("output_length", "harm", output_length),
    ("known_answers", "harm", known_answers),
    ("repetition", "harm", repetition),
)


def evaluate(pair: Comparison) -> tuple[Guard, ...]:
    """All guards of one comparison, in the order in which they are reported."""
    findings = [(name, kind, guard(pair)) for name, kind, guard in GUARDS]
    return tuple(Guard(name, kind, finding.ok, finding.detail) for name, kind, finding in findings)
