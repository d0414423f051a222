"""Is it the server that was asked for? Answers as the vendor's server gives them, and as broken ones would."""

from __future__ import annotations

import json
from typing import Any

import pytest

from edgeops.server.proof import Expected, judge, request

WANTED = Expected("m", "dspark")


def chunk(**delta: Any) -> str:
    finish = delta.pop("finish", None)
    return json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": None})


USAGE = json.dumps({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13}})
GOOD_EVENTS = [
    chunk(role="assistant", content=None),
    chunk(content="Paris."),
    chunk(content=None, finish="stop"),
    USAGE,
    "[DONE]",
]


def answers(**changed: Any) -> dict[str, Any]:
    capabilities = {"speculative_decoding": True, "speculative_method": "dspark"}
    good = {
        "health": [200, json.dumps({"status": "healthy", "capabilities": capabilities})],
        "models": [200, json.dumps({"object": "list", "data": [{"id": "m"}]})],
        "generation": {"status": 200, "events": GOOD_EVENTS, "error": ""},
    }
    return good | changed


def test_the_server_that_was_asked_for_is_proven() -> None:
    proof = judge(answers(), WANTED)
    assert proof.problems == ()
    assert (proof.text, proof.finish_reason, proof.completion_tokens, proof.knows_the_answer) == (
        "Paris.",
        "stop",
        3,
        True,
    )


def test_a_silent_fallback_to_plain_decoding_is_noticed() -> None:
    off = {"capabilities": {"speculative_decoding": False, "speculative_method": "none"}}
    (problem,) = judge(answers(health=[200, json.dumps(off)]), WANTED).problems
    assert "off" in problem
    assert "dspark" in problem


def test_speculation_that_nobody_asked_for_is_noticed() -> None:
    assert judge(answers(), Expected("m", "none")).problems


def test_another_name_is_noticed() -> None:
    (problem,) = judge(answers(), Expected("other", "dspark")).problems
    assert "other" in problem


@pytest.mark.parametrize(
    ("generation", "word"),
    [
        ({"status": 200, "events": ['{"error":{"message":"engine down"}}', "[DONE]"], "error": ""}, "engine down"),
        ({"status": 200, "events": GOOD_EVENTS[:2] + GOOD_EVENTS[3:], "error": ""}, "finish reason"),
        ({"status": 200, "events": [*GOOD_EVENTS[:3], "[DONE]"], "error": ""}, "usage"),
        ({"status": 200, "events": GOOD_EVENTS[:4], "error": ""}, "[DONE]"),
        ({"status": 429, "events": [], "error": "queue full"}, "429"),
        ({"status": 0, "events": [], "error": "ConnectionRefusedError"}, "nothing"),
        ({"status": 200, "events": GOOD_EVENTS[:2], "error": "not finished after 120 s"}, "broke off"),
        ("rubbish", "nothing"),
        (None, "nothing"),
    ],
)
def test_a_generation_that_is_none_is_no_proof(generation: Any, word: str) -> None:
    assert any(word in problem for problem in judge(answers(generation=generation), WANTED).problems)


@pytest.mark.parametrize(
    "rubbish", [None, [], [200], [200, "<html>"], ["200", "{}"], [200, "[1]"], {"a": 1}, [200, '{"data": 3}']]
)
def test_rubbish_is_a_problem_and_never_a_traceback(rubbish: Any) -> None:
    assert judge(answers(health=rubbish), WANTED).problems
    assert judge(answers(models=rubbish), WANTED).problems


def test_the_request_is_greedy_and_has_nothing_that_the_schema_forbids() -> None:
    body = request("m")
    assert body["temperature"] == 0
    assert body["stream_options"] == {"include_usage": True}
    assert not {"ignore_eos", "min_tokens", "user", "metadata", "n"} & set(body)
