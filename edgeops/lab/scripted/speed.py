"""How fast the scripted engine is: a stated model around the vendor's published figures. Pure.

Published (NVIDIA's tutorial of 2026-10-30 for Nemotron 3.5 Lightning on DGX Spark, HumanEval, batch 1): 73.4 tok/s
without speculation, 126.9 with DSpark and 3 candidates; time to the first token by prompt length as in PLAIN_TTFT and
DRAFT_TTFT.

Model of DSpark with k candidates: each candidate is accepted with probability p when the ones before it were, so a step
gives 1 + p + … + p^k tokens; a step costs (1 + c·k) times a plain one. p is such that k = 7 gives 3.75 tokens a step,
the mean acceptance length on the draft's model card; c is such that k = 3 gives exactly 126.9 tok/s. Whatever it says
for another k is an assumption of this model, measured by nobody.

MTP and DFlash keep the published ratio to plain decoding and the published acceptance, whatever k is (NVIDIA's
performance page for 0.10.0, DGX Spark: 75.6 plain; MTP 93.2 with 2.70; DFlash 61.5 with 2.23).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .knobs import Knobs

BASELINE_TOK_S = 73.4
DSPARK_K3_TOK_S = 126.9
PLAIN_TTFT = ((139, 98.1), (1153, 201.0), (2247, 329.5))
DRAFT_TTFT = ((139, 98.7), (1153, 203.0), (2247, 331.6))
"""Prompt tokens, milliseconds."""

ACCEPTANCE = 0.764
"""p: see above."""

_PUBLISHED = {"mtp": (93.2 / 75.6, 2.70), "dflash": (61.5 / 75.6, 2.23)}


@dataclass(frozen=True)
class Pace:
    """``first_s``: until the first token. Then steps of ``step_s`` seconds with ``tokens`` tokens each in the mean,
    ``most`` at most.
    """

    first_s: float
    step_s: float
    tokens: float
    most: int

    @property
    def tok_s(self) -> float:
        """Decode rate: tokens after the first per second."""
        return self.tokens / self.step_s


def tokens_per_step(k: int) -> float:
    """1 + p + … + p^k."""
    return sum(ACCEPTANCE**position for position in range(k + 1))


def dspark_tok_s(k: int) -> float:
    """The model's rate for ``k`` candidates; exactly 126.9 for 3."""
    cost = (tokens_per_step(3) / DSPARK_K3_TOK_S * BASELINE_TOK_S - 1) / 3
    return tokens_per_step(k) * BASELINE_TOK_S / (1 + cost * k)


def ttft_ms(prompt_tokens: int, points: Sequence[tuple[int, float]]) -> float:
    """Straight lines through the published points, and on beyond them."""
    upper = next((place for place in range(1, len(points) - 1) if prompt_tokens <= points[place][0]), len(points) - 1)
    (left, low), (right, high) = points[upper - 1], points[upper]
    return low + (high - low) * (prompt_tokens - left) / (right - left)


def plain_pace(prompt_tokens: int, knobs: Knobs, leaning: float) -> Pace:
    """Without speculation. ``leaning`` from -1 to 1 is what this prompt differs from the mean by, in units of the knob
    ``spread``.
    """
    rate = knobs.number("baseline_tok_s", BASELINE_TOK_S) * _leant(knobs, leaning / 3)
    return Pace(knobs.number("ttft_ms", ttft_ms(prompt_tokens, PLAIN_TTFT)) / 1e3, 1 / rate, 1, 1)


def draft_pace(prompt_tokens: int, knobs: Knobs, leaning: float, draft: tuple[str, int]) -> Pace:
    """With speculation by ``draft``: method and k. ``leaning`` changes what is accepted, not a step's cost."""
    method, k = draft
    rate, tokens = dspark_tok_s(k), tokens_per_step(k)
    if method in _PUBLISHED:
        ratio, tokens = _PUBLISHED[method]
        rate = BASELINE_TOK_S * ratio
    rate, tokens = knobs.for_k("spec_tok_s", k, rate), knobs.for_k("accept", k, tokens)
    tokens = min(max(tokens, 1), k + 1)
    first = knobs.number("spec_ttft_ms", knobs.number("ttft_ms", ttft_ms(prompt_tokens, DRAFT_TTFT))) / 1e3
    return Pace(first, tokens / rate, tokens * _leant(knobs, leaning), k + 1)


def _leant(knobs: Knobs, leaning: float) -> float:
    return 1 + knobs.number("spread") / 100 * leaning
