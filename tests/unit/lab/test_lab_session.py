"""One request on the scripted engine, without a server: what is pushed, what is cut, what fails."""

from __future__ import annotations

import json
import threading

import pytest

from edgeops.lab.scripted import clock, session
from edgeops.lab.scripted import knobs as scripted_knobs
from edgeops.lab.scripted.channel import StreamChannel
from edgeops.lab.scripted.knobs import knobs_of
from edgeops.lab.scripted.shapes import FinishReason, LLMGenerationRequest, Message, MessageContent, Request

QUICK = {"ttft_ms": 5, "baseline_tok_s": 2000, "spec_tok_s": 4000}


@pytest.fixture(autouse=True)
def journal(tmp_path, monkeypatch):
    path = tmp_path / "clock.jsonl"
    monkeypatch.setattr(clock, "FILE", path)
    return path


@pytest.fixture
def knobs(monkeypatch):
    values = dict(QUICK)
    monkeypatch.setattr(scripted_knobs, "read_knobs", lambda: knobs_of(values))
    return values


def asked(text="hello", *, limit=20, stop=(), channel=None, plain=False, logprobs=0):
    message = Message(contents=[MessageContent("text", text)])
    one = Request(messages=[message])
    one.stop_strings = list(stop)
    request = LLMGenerationRequest()
    request.requests, request.max_generate_length = [one], limit
    request.stream_channels = [channel] if channel else []
    request.disable_spec_decode, request.num_logprobs = plain, logprobs
    return request


def run(request, draft=("dspark", 3), limits=(4096, 8192)):
    return session.Session(request, draft, limits, scripted_knobs.read_knobs).run()


def chunks(channel):
    found = []
    while (chunk := channel.try_pop()) is not None:
        found.append(chunk)
    return found


def test_the_stream_is_the_answer_in_steps(knobs, journal):
    channel = StreamChannel.create()
    response = run(asked(channel=channel))
    pushed = chunks(channel)
    assert "".join(chunk.text for chunk in pushed) == response.output_texts[0]
    assert sum(len(chunk.token_ids) for chunk in pushed) == len(response.output_ids[0]) == 20
    assert [chunk.finished for chunk in pushed] == [False] * (len(pushed) - 1) + [True]
    assert response.finish_reasons == [pushed[-1].reason] == [FinishReason.LENGTH]
    assert channel.is_finished()


def test_the_engines_clock_has_every_step_in_order(knobs, journal):
    channel = StreamChannel.create()
    run(asked(channel=channel))
    record = json.loads(journal.read_text())
    stamps = [stamp for stamp, _ in record["steps"]]
    assert stamps == sorted(stamps)
    assert stamps[0] >= record["seen_ns"] + 5e6
    assert [tokens for _, tokens in record["steps"]] == [len(chunk.token_ids) for chunk in chunks(channel)]
    assert (record["speculative"], record["k"], record["finish"]) == (True, 3, "length")


def test_a_request_can_switch_speculation_off(knobs, journal):
    run(asked(plain=True))
    record = json.loads(journal.read_text())
    assert (record["speculative"], record["k"]) == (False, 0)
    assert {tokens for _, tokens in record["steps"]} == {1}


def test_a_stop_string_is_an_end(knobs):
    response = run(asked(limit=200, stop=["engine"]))
    assert "engine" not in response.output_texts[0]
    assert response.finish_reasons == [FinishReason.STOP_WORDS]


def test_an_answer_that_begins_with_the_stop_string_is_empty_and_finished(knobs):
    knobs["text"] = "stop"
    channel = StreamChannel.create()
    response = run(asked(stop=["stop"], channel=channel))
    assert response.output_texts == [""]
    assert [chunk.finished for chunk in chunks(channel)] == [True]


def test_each_token_has_its_log_probabilities(knobs):
    channel = StreamChannel.create()
    response = run(asked(channel=channel, logprobs=2))
    for chunk in chunks(channel):
        assert [len(entries) for entries in chunk.logprobs] == [2] * len(chunk.token_ids)
    assert len(response.logprobs[0]) == 20


def test_a_prompt_that_is_too_long_is_refused_in_the_vendors_words(knobs):
    with pytest.raises(RuntimeError, match="EDGELLM_INPUT_TOO_LONG: prefill length 12 exceeds engine max_input_len 10"):
        run(asked("a" * 10), limits=(10, 100))


def test_an_answer_is_cut_to_the_cache(knobs):
    response = run(asked("a" * 10, limit=500), limits=(4096, 42))
    assert len(response.output_ids[0]) == 30


def test_a_reader_who_left_ends_the_request(knobs):
    knobs["ttft_ms"] = 60_000
    channel = StreamChannel.create()
    results = []
    worker = threading.Thread(target=lambda: results.append(run(asked(channel=channel))))
    worker.start()
    channel.cancel()
    worker.join(30)
    assert [response.finish_reasons for response in results] == [[FinishReason.CANCELLED]]


def test_an_engine_that_hangs_says_nothing_until_the_reader_leaves(knobs):
    knobs["fail"] = "hang"
    channel = StreamChannel.create()
    worker = threading.Thread(target=lambda: run(asked(channel=channel)))
    worker.start()
    assert channel.wait_pop(300) is None
    assert worker.is_alive()
    channel.cancel()
    worker.join(30)
    assert not worker.is_alive()


def test_an_error_in_the_middle_comes_after_two_steps(knobs):
    knobs["fail"] = "error_mid"
    channel = StreamChannel.create()
    with pytest.raises(RuntimeError, match="simulated: fail=error_mid"):
        run(asked(channel=channel))
    assert len(chunks(channel)) == 2


def test_an_error_before_the_first_token_leaves_the_stream_empty(knobs):
    knobs["fail"] = "error_before"
    channel = StreamChannel.create()
    with pytest.raises(RuntimeError, match="simulated: fail=error_before"):
        run(asked(channel=channel))
    assert chunks(channel) == []
