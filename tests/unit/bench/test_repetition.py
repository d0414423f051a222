"""Text that runs in circles is told from text that does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeops.bench.repetition import is_degenerate

PROSE = " ".join(f"w{number}" for number in range(60))


@pytest.mark.parametrize(
    "text",
    ["the " * 60, "I am sorry. " * 20, PROSE[:80] + " over and over again" * 30, ("a b c d e f g h i j k l " * 6)],
)
def test_a_loop_that_fills_half_of_the_text_is_degenerate(text: str) -> None:
    assert is_degenerate(text)


@pytest.mark.parametrize("text", ["", "yes yes yes yes", PROSE, PROSE + " no no no", "| a | b |\n" * 2 + PROSE])
def test_prose_short_answers_and_a_repeated_end_are_not(text: str) -> None:
    assert not is_degenerate(text)


@given(st.lists(st.integers(0, 10**9), min_size=24, max_size=80, unique=True))
def test_words_that_never_come_twice_are_not_degenerate(words: list[int]) -> None:
    assert not is_degenerate(" ".join(map(str, words)))


@given(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=16), st.integers(24, 40))
def test_any_short_loop_is_found(loop: list[str], rounds: int) -> None:
    assert is_degenerate(" ".join(loop * rounds))
