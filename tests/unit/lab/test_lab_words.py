"""What the scripted engine reads and says."""

from __future__ import annotations

import pytest

from edgeops.lab.scripted.words import Wanted, known_answer, prompt_token_count, reply


def said(prompt, **wanted):
    return "".join(reply(prompt, Wanted(**{"limit": 40, **wanted})).tokens)


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("What is 2+2?", "4"),
        ("What is 17 * 3? Answer with the number only.", "51"),
        ("Compute 9 - 12", "-3"),
        ("What is the capital of France?", "Paris"),
        ("Name the capital city of Japan.", "Tokyo"),
        ("What is the capital of Nowhere?", ""),
        ("Tell me a story.", ""),
    ],
)
def test_simple_questions_are_answered_and_others_are_not(prompt, answer):
    assert known_answer(prompt) == answer
    assert said(prompt).startswith(answer)


def test_a_task_of_the_size_of_humaneval_counts_as_in_the_vendors_table():
    assert prompt_token_count("x" * 455) == 139


def test_an_answer_has_exactly_the_tokens_that_were_asked_for():
    answer = reply("hello", Wanted(limit=128))
    assert (len(answer.tokens), answer.ended) == (128, False)


def test_an_end_that_was_asked_for_is_an_end():
    assert reply("hello", Wanted(limit=5, ends=True)).ended


@pytest.mark.parametrize("stop", ["engine", "from a", "t comes", "This"])
def test_an_answer_ends_before_a_stop_string(stop):
    whole = said("hello", limit=200)
    answer = reply("hello", Wanted(limit=200, stops=(stop,)))
    assert "".join(answer.tokens) == whole[: whole.index(stop)]
    assert answer.ended


def test_thinking_comes_before_the_answer():
    text = said("What is 2+2?", thinking=6)
    assert text.split("</think>")[1].startswith("4. ")
    assert len(text.split("</think>")[0].split()) == 6


def test_garbage_is_no_answer():
    assert "4" not in said("What is 2+2?", text="garbage")


def test_set_words_are_said_over_and_over():
    assert said("What is 2+2?", limit=5, text="yes no").split() == ["yes", "no", "yes", "no", "yes"]


def test_the_same_prompt_gets_the_same_answer():
    assert said("hello") == said("hello")
    assert said("hello") != said("good morning")
