"""A conversation with a fake server: text as it comes, figures by the definitions, whatever goes wrong a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gevent
import pytest

from edgeops.chat import Answer, Conversation, Piece, Wishes
from edgeops.errors import EdgeopsError
from tests.unit.bench.fake_server import HEAD, Action, FakeServer, chunk, delta, error_answer, event, generation
from tests.unit.bench.traces import request as trace


def conversation(server: FakeServer, **changes: Any) -> Conversation:
    return Conversation(f"{server.url}/v1/chat/completions", "fake-model", Wishes(16, thinking=True), **changes)


def steps(_: dict[str, Any]) -> Iterator[Action]:
    return generation([1, 3, 4], first_s=0.05, step_s=0.02)


def thinking(_: dict[str, Any]) -> Iterator[Action]:
    yield HEAD + chunk(event(delta(role="assistant")))
    yield chunk(event(delta(reasoning_content="Let me see.")))
    yield chunk(event(delta(content="Four.")))
    yield chunk(
        event(delta(finish="stop")) + event({"choices": [], "usage": {"completion_tokens": 5}}) + event("[DONE]")
    )
    yield b"0\r\n\r\n"


def test_text_is_shown_as_it_comes_and_figures_follow_the_definitions() -> None:
    shown: list[Piece] = []
    with FakeServer(steps) as server:
        answer = conversation(server).say("hello", shown.append)
    found = answer.document()
    assert "".join(piece.text for piece in shown) == answer.text == "word " * 8
    assert len(shown) == 3
    assert (found["output_tokens"], found["prompt_tokens"], found["finish"]) == (8, 139, "length")
    assert 50 <= found["ttft_ms"] < 5000
    assert 0 < found["decode_tok_s"] <= 7 / 0.04
    assert 0 < found["e2e_tok_s"] <= 8 / 0.09
    assert answer.sentence().startswith("first text after ")
    assert "8 tokens" in answer.sentence()


def test_the_figures_are_those_of_the_benchmark() -> None:
    answer = Answer("x", events=list(trace("speculative").events))
    found = answer.document()
    assert (found["ttft_ms"], found["e2e_tok_s"]) == (200, pytest.approx(45.714, abs=1e-3))
    assert found["decode_tok_s"] == pytest.approx(100.0)


def test_what_was_said_is_sent_again_and_the_key_with_it() -> None:
    with FakeServer(steps) as server:
        talk = conversation(server, key="secret-key")
        talk.say("first", lambda _: None)
        talk.say("second", lambda _: None)
    assert [message["role"] for message in server.requests[1]["messages"]] == ["user", "assistant", "user"]
    assert (server.requests[0]["max_tokens"], server.requests[0]["enable_thinking"]) == (16, True)
    assert all("Bearer secret-key" in head for head in server.heads)
    assert "secret-key" not in repr(talk)


def test_reasoning_is_told_from_the_answer() -> None:
    shown: list[Piece] = []
    with FakeServer(thinking) as server:
        talk = conversation(server)
        answer = talk.say("two and two", shown.append)
    assert shown == [Piece("Let me see.", reasoning=True), Piece("Four.")]
    assert (answer.reasoning, answer.text) == ("Let me see.", "Four.")
    assert talk.messages[-1] == {"role": "assistant", "content": "Four."}


def test_an_answer_can_be_cut_and_what_came_is_remembered() -> None:
    def slow(_: dict[str, Any]) -> Iterator[Action]:
        yield HEAD + chunk(event(delta(content="begun ")))
        yield "stall"

    with FakeServer(slow) as server:
        talk = conversation(server)
        assert not talk.cut()
        answer = talk.say("go on", lambda _: gevent.spawn(talk.cut))
    assert (answer.text, answer.cut, answer.sentence()) == ("begun ", True, "cut off")
    assert len(talk.messages) == 2


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (lambda _: iter([error_answer(401, "bad key")]), "refused with status 401: bad key"),
        (lambda _: iter([error_answer(429, "queue full")]), "refused with status 429: queue full"),
        (lambda _: iter([HEAD + chunk(event({"error": {"message": "out of memory"}}))]), "stopped with an error"),
        (lambda _: iter([HEAD + chunk(event(delta(content="half"))), "reset"]), "does not answer"),
        (lambda _: iter([b"nonsense\r\n\r\n", "close"]), "does not answer"),
    ],
)
def test_what_goes_wrong_is_a_sentence_and_nothing_is_remembered(answer: Any, sentence: str, capfd: Any) -> None:
    with FakeServer(answer) as server:
        talk = conversation(server)
        with pytest.raises(EdgeopsError, match=sentence):
            talk.say("hello", lambda _: None)
    assert talk.messages == []
    assert "Traceback" not in capfd.readouterr().err


def test_a_stream_that_ends_without_its_end_has_no_figures() -> None:
    def cut_short(_: dict[str, Any]) -> Iterator[Action]:
        yield HEAD + chunk(event(delta(content="half"))) + b"0\r\n\r\n"

    with FakeServer(cut_short) as server:
        assert conversation(server).say("hello", lambda _: None).sentence() == "no figures: no_done"


def test_nobody_there_is_a_sentence() -> None:
    with FakeServer(steps) as server:
        talk = conversation(server)
    with pytest.raises(EdgeopsError, match="does not answer"):
        talk.say("hello", lambda _: None)
