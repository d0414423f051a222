"""The probe as it is really run, a process of its own, against a fake server: exact reasons, and bounds for times."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from edgeops.bench import failures, figures, records
from edgeops.bench.records import Request
from edgeops.smoke.local import run_probe
from tests.unit.bench.fake_server import (
    CLOSE_HEAD,
    HEAD,
    LAST,
    Action,
    FakeServer,
    chunk,
    delta,
    error_answer,
    event,
    generation,
    usage,
)

END = event(delta(finish="length")) + event(usage(139, 8)) + event("[DONE]")
TEXT = event(delta(content="some words "))
ROLE = event(delta(role="assistant"))


def ask(server: FakeServer, *, times: int = 1, deadline_s: float = 20.0, **plan: Any) -> list[Request]:
    """Send the same timed request some times; the records in order."""
    step = {"do": "request", "phase": "timed", "arm": "k3", "workload": "chat", "prompt": "p", "nonce": "01234567"}
    given = {
        "address": "127.0.0.1",
        "port": server.port,
        "prompts": {"p": [{"role": "user", "content": "Hello."}]},
        "fields": {"stream": True},
        "arms": {"k3": {}},
        "steps": [step] * times,
        "deadline_s": deadline_s,
        "total_s": 120,
        **plan,
    }
    heard: list[dict[str, Any]] = []
    answer = run_probe(given, heard.append, 120)
    assert (answer.rc, answer.err) == (0, "")
    found = list(map(records.Request.model_validate, heard[:-1]))
    assert heard[-1]["kind"] == "end"
    return found


def answer_of(*actions: Action, **plan: Any) -> Request:
    def script(_: dict[str, Any]) -> Iterator[Action]:
        yield from actions

    with FakeServer(script) as server:
        return ask(server, **plan)[0]


FAILING: dict[str, tuple[tuple[Action, ...], str]] = {
    "http_429": ((error_answer(429, "server overloaded"),), "http_429"),
    "http_413": ((error_answer(413, "EDGELLM_INPUT_TOO_LONG: too long"),), "http_413"),
    "http_500": ((error_answer(500, "engine failure"),), "http_500"),
    "error_before_text": (
        (HEAD, chunk(ROLE + event({"error": {"message": "no"}}) + event("[DONE]")) + LAST),
        "error_event",
    ),
    "error_after_text": (
        (HEAD, chunk(ROLE + TEXT), 0.01, chunk(event({"error": {"message": "no"}}) + event("[DONE]")) + LAST),
        "error_event",
    ),
    "error_by_name": (
        (HEAD, chunk(b"event: error\n" + event({"message": "no"}) + event("[DONE]")) + LAST),
        "error_event",
    ),
    "no_done": ((HEAD, chunk(ROLE + TEXT + END.replace(event("[DONE]"), b"")) + LAST), "no_done"),
    "no_done_and_closed": ((CLOSE_HEAD, ROLE + TEXT, "close"), "no_done"),
    "closed_inside_a_chunk": ((HEAD, b"ff\r\ndata: {", "close"), "connection"),
    "closed_inside_an_event": ((CLOSE_HEAD, TEXT + b'data: {"choices": [', "close"), "connection"),
    "reset": ((HEAD, chunk(TEXT), 0.05, "reset"), "connection"),
    "broken_chunk_size": ((HEAD, chunk(TEXT), b"zz\r\nnonsense\r\n"), "connection"),
    "chunk_longer_than_it_says": ((HEAD, b"5\r\ndata: and more\r\n"), "connection"),
    "garbage_instead_of_http": ((b"\x00\x01\x02\xff" * 50, "close"), "connection"),
    "garbage_in_an_event": ((HEAD, chunk(TEXT + b"data: \xff\xfe{{{\n\n" + END) + LAST), "connection"),
    "nothing_at_all": (("close",), "connection"),
    "no_finish": ((HEAD, chunk(TEXT + event(usage(9, 3)) + event("[DONE]")) + LAST), "no_finish"),
    "cancelled": ((HEAD, chunk(TEXT + event(delta(finish="cancelled")) + END[-14:]) + LAST), "no_finish"),
    "no_usage": ((HEAD, chunk(TEXT + event(delta(finish="stop")) + event("[DONE]")) + LAST), "no_usage"),
    "zero_tokens": (
        (HEAD, chunk(TEXT + event(delta(finish="stop")) + event(usage(9, 0)) + event("[DONE]")) + LAST),
        "no_usage",
    ),
    "no_content": ((HEAD, chunk(ROLE + event(delta(content="")) + END) + LAST), "no_content"),
    "not_a_stream": ((b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",), "no_done"),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_failing_answer_has_exactly_its_reason(name: str) -> None:
    actions, reason = FAILING[name]
    assert failures.reason(answer_of(*actions)) == reason


def test_a_refused_connection_is_a_connection_failure() -> None:
    with FakeServer(lambda _: iter(())) as server:
        pass
    refused = ask(server)[0]
    assert failures.reason(refused) == "connection"
    assert "refused" in refused.detail


def test_a_stall_ends_at_the_deadline_and_keeps_what_came() -> None:
    stalled = answer_of(HEAD, chunk(ROLE + TEXT), "stall", deadline_s=0.5)
    assert failures.reason(stalled) == "deadline"
    assert [event.content for event in stalled.events] == [0, 11]
    assert 0.5e9 <= stalled.wall_ns < 5e9


def test_two_deadlines_in_a_row_end_the_run() -> None:
    with FakeServer(lambda _: iter(("stall",))) as server:
        asked = ask(server, times=8, deadline_s=0.2)
    assert [failures.reason(request) for request in asked] == ["deadline"] * 2


def test_the_role_is_not_the_first_token() -> None:
    with FakeServer(lambda _: generation([1, 3, 4], first_s=0.2)) as server:
        found = ask(server)[0]
    ttft, first = figures.ttft_ms(found), figures.first_event_ms(found)
    assert ttft is not None
    assert first is not None
    assert ttft >= 200
    assert ttft - first > 100
    assert figures.output_tokens(found) == 8


@pytest.mark.parametrize("tokens", [1, 2, 4, 8, 16])
def test_tokens_an_event_do_not_move_the_decode_rate(tokens: int) -> None:
    """The engine makes 100 tokens a second, fewer on a busy machine: only the size of its steps differs."""
    steps = [tokens] * (1 + 64 // tokens)
    with FakeServer(lambda body: generation(steps, step_s=tokens / 100, count="logprobs" in body)) as server:
        timed = ask(server)[0]
        counted = ask(server, fields={"stream": True, "logprobs": True})[0]
    from edgeops.bench import counting

    first = counting.first_tokens(counted)
    assert first == tokens
    rate = figures.decode_tok_s(timed, first)
    assert rate is not None
    assert 30 < rate <= 103  # a first event that came late makes the rest look quicker


def test_events_are_whole_however_the_bytes_are_cut() -> None:
    text = event(delta(content="Grüße – 你好 "), newline="\r\n")
    body = b": a comment\r\n\r\n" + text + event(delta(content="x"), newline="\r\n") + END
    pieces: list[Action] = [HEAD]
    for index in range(0, len(body), 7):
        pieces += [chunk(body[index : index + 7]), 0.0]
    found = answer_of(*pieces, LAST)
    assert failures.reason(found) is None
    assert found.text == "Grüße – 你好 x"
    assert [event.content for event in found.events][:2] == [len("Grüße – 你好 "), 1]


def test_several_events_in_one_read_are_several_events() -> None:
    found = answer_of(HEAD, chunk(ROLE + TEXT + TEXT + END) + LAST)
    assert [event.has_text for event in found.events] == [False, True, True, False, False, False]


def test_data_of_several_lines_is_one_event() -> None:
    split = b'data: {"choices": [{"index": 0,\ndata:  "delta": {"content": "hello"}}]}\n\n'
    found = answer_of(HEAD, chunk(split + END) + LAST)
    assert found.text == "hello"


def test_a_body_that_ends_with_the_connection_is_read() -> None:
    assert failures.reason(answer_of(CLOSE_HEAD, ROLE + TEXT + END, "close")) is None


def test_a_server_that_keeps_the_connection_open_after_done_costs_no_failure() -> None:
    assert failures.reason(answer_of(CLOSE_HEAD, ROLE + TEXT + END, "stall")) is None


def test_a_missing_blank_line_after_the_last_event_is_forgiven() -> None:
    assert failures.reason(answer_of(CLOSE_HEAD, (ROLE + TEXT + END).rstrip(b"\n"), "close")) is None


def test_a_provisional_response_is_passed_over() -> None:
    found = answer_of(b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD, chunk(TEXT + END) + LAST)
    assert failures.reason(found) is None


def test_reasoning_is_text_but_not_the_answer() -> None:
    thought = event(delta(reasoning_content="hmm "))
    found = answer_of(HEAD, chunk(thought), 0.1, chunk(TEXT + END) + LAST)
    ttft, ttfa = figures.ttft_ms(found), figures.ttfa_ms(found)
    assert ttft is not None
    assert ttfa is not None
    assert ttfa >= ttft + 90
    assert (found.reasoning, found.text) == ("hmm ", "some words ")


def test_the_nonce_stands_before_the_first_user_message() -> None:
    with FakeServer(lambda _: generation([1])) as server:
        ask(server, prompts={"p": [{"role": "system", "content": "S"}, {"role": "user", "content": "Hello."}]})
    assert server.requests[0]["messages"] == [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "01234567\nHello."},
    ]


def test_a_key_goes_into_a_header_and_nowhere_else() -> None:
    with FakeServer(lambda _: generation([1])) as server:
        found = ask(server, key="sesame-42")[0]
    assert "Authorization: Bearer sesame-42" in server.heads[0]
    assert "sesame" not in found.model_dump_json()


def test_the_state_before_a_request_is_noted() -> None:
    busy = {"active_requests": 1, "queued_requests": 2, "capabilities": {"speculative_method": "none"}}
    with FakeServer(lambda _: generation([1]), health=busy) as server:
        before = ask(server)[0].before
    assert (before.status, before.active_requests, before.queued_requests) == (200, 1, 2)
    assert before.speculative_method == "none"
    assert before.mem_available_kib is not None


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A key and a certificate for 127.0.0.1 that nobody else has signed, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "fake")])
    now = datetime.now(timezone.utc)
    addresses = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    signed = builder.add_extension(addresses, critical=False).sign(key, hashes.SHA256())
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path = tmp_path / "fake.pem"
    path.write_bytes(private + signed.public_bytes(pem))
    return path


@pytest.mark.parametrize("trusted", [True, False])
def test_tls_is_spoken_with_those_whose_certificate_is_trusted(
    certificate: Path, trusted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with FakeServer(lambda _: generation([1, 2, 2], first_s=0.1), tls=context) as server:
        found = ask(server, tls=True)[0]
    ttft = figures.ttft_ms(found)
    assert failures.reason(found) == (None if trusted else "connection")
    assert trusted is (ttft is not None and 100 <= ttft < 400)
    assert trusted or "certificate" in found.detail.lower()


def test_the_probe_needs_little_of_a_core() -> None:
    """At 130 tokens a second; the bound is wide because the machine is not ours alone."""
    with FakeServer(lambda _: generation([3] * 40, step_s=3 / 130)) as server:
        found = ask(server)[0]
    assert failures.reason(found) is None
    assert found.cpu_ns < 0.05 * found.wall_ns
