"""Whether a text runs in circles: a degenerate answer is easy to draft, and so looks fast."""

from __future__ import annotations

MIN_WORDS = 24
LEAST_ROUNDS = 4
LONGEST_LOOP = 16


def is_degenerate(text: str) -> bool:
    """Whether the last words repeat one loop of up to 16 words, four times over and for half of the text at least."""
    words = text.split()
    if len(words) < MIN_WORDS:
        return False
    return any(_rounds(words, loop) for loop in range(1, LONGEST_LOOP + 1))


def _rounds(words: list[str], loop: int) -> bool:
    same = 0
    for later, earlier in zip(reversed(words), reversed(words[:-loop]), strict=False):
        if later != earlier:
            break
        same += 1
    return same >= loop * (LEAST_ROUNDS - 1) and same + loop >= len(words) / 2
