"""One request's steps, decided before it runs: when each is due, how many tokens it brings. Pure and the same for the
same prompt.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from .speed import Pace

_SLACK = 0.9
"""How many tokens a request may be before or behind its mean: below 1, or the cut last step could be due before the one
before.
"""


@dataclass(frozen=True)
class Step:
    """``due_s`` counts from the moment the request was seen."""

    due_s: float
    tokens: int


def plan_steps(pace: Pace, total: int, seed: int) -> list[Step]:
    """``total`` tokens: the prefill's one, then steps whose numbers vary with ``seed`` around a mean (error diffusion).

    The last step is cut to what is still wanted and takes the time of its share, so that the decode rate of a request
    of any
    length is the pace's own.
    """
    dice = random.Random(seed)
    steps = [Step(pace.first_s, 1)] if total else []
    done, number = 1, 0
    while done < total:
        number += 1
        tokens = _drawn(dice, pace, number * pace.tokens - (done - 1))
        due = number * pace.step_s
        if done + tokens >= total:
            tokens, due = total - done, (total - 1) / pace.tok_s
        done += tokens
        steps.append(Step(pace.first_s + due, tokens))
    return steps


def _drawn(dice: random.Random, pace: Pace, owed: float) -> int:
    least, most = max(1, math.ceil(owed - _SLACK)), min(pace.most, math.floor(owed + _SLACK))
    return dice.randint(least, most) if least < most else max(1, min(least, pace.most))
