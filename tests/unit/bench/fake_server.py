"""A fake chat server: a few routes on a loopback socket, and an answer written action by action.

It measures nothing and generates nothing; a test says what it sends and when. Sleeping is what it is for: a sleep never
ends early, so a test may hold a lower bound against it.
"""

from __future__ import annotations

import json
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Action = bytes | float | str
"""Bytes to send, seconds to wait, or ``"close"``, ``"reset"`` and ``"stall"``."""
Answer = Callable[[dict[str, Any]], Iterator[Action]]

HEALTH: dict[str, Any] = {
    "status": "healthy",
    "active_requests": 0,
    "queued_requests": 0,
    "capabilities": {"speculative_decoding": True, "speculative_method": "dspark"},
}


def chunk(data: bytes) -> bytes:
    """One chunk of a chunked body."""
    return b"%x\r\n%s\r\n" % (len(data), data)


def event(document: dict[str, Any] | str, newline: str = "\n") -> bytes:
    """One server-sent event."""
    text = document if isinstance(document, str) else json.dumps(document, ensure_ascii=False)
    return f"data: {text}{newline}{newline}".encode()


def delta(finish: str | None = None, entries: int = 0, **fields: Any) -> dict[str, Any]:
    """A chunk as the vendor's server writes it: every key is there, most of them null."""
    full = {"role": None, "content": None, "reasoning_content": None, "tool_calls": None, **fields}
    logprobs = {"content": [{"token": "x", "logprob": 0.0}] * entries} if entries else None
    choice = {"index": 0, "delta": full, "logprobs": logprobs, "finish_reason": finish}
    return {"object": "chat.completion.chunk", "choices": [choice], "usage": None}


def usage(prompt: int, completion: int) -> dict[str, Any]:
    """The final event with the token counts."""
    return {"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": 0}}


HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n"
CLOSE_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
LAST = b"0\r\n\r\n"


def error_answer(status: int, text: str) -> bytes:
    """A whole HTTP error with a JSON body."""
    body = json.dumps({"error": {"message": text, "code": status}}).encode()
    head = f"HTTP/1.1 {status} Error\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


def generation(
    steps: list[int], *, first_s: float = 0.05, step_s: float = 0.02, prompt: int = 139, count: bool = False
) -> Iterator[Action]:
    """A good answer: the role at once, then one event a step after its time; ``count`` adds logprob entries."""
    yield HEAD + chunk(event(delta(role="assistant")))
    for index, tokens in enumerate(steps):
        yield step_s if index else first_s
        yield chunk(event(delta(content="word " * tokens, entries=tokens if count else 0)))
    yield chunk(event(delta(finish="length")) + event(usage(prompt, sum(steps))) + event("[DONE]")) + LAST


@dataclass
class FakeServer:
    """Serves ``answer`` to every chat request; ``requests`` holds the bodies and heads it got."""

    answer: Answer
    health: dict[str, Any] | None = field(default_factory=lambda: dict(HEALTH))
    version: str | None = "0.11.1"
    tls: ssl.SSLContext | None = None
    requests: list[dict[str, Any]] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)

    def __enter__(self) -> FakeServer:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._socket.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _accept(self) -> None:
        while not self._stopped.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                connection = self.tls.wrap_socket(connection, server_side=True) if self.tls else connection
                head, body = _receive(connection)
                self._reply(connection, head, body)
                connection.close()
            except OSError:
                return

    def _reply(self, connection: socket.socket, head: str, body: bytes) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        path = head.split(" ")[1] if " " in head else ""
        simple = {
            "/health": self.health,
            "/v1/models": {"data": [{"id": "fake-model"}]},
            "/openapi.json": {"info": {"version": self.version}} if self.version else None,
        }
        if path in simple:
            self._send_json(connection, simple[path])
            return
        self.heads.append(head)
        self.requests.append(json.loads(body))
        for action in self.answer(self.requests[-1]):
            if not self._act(connection, action):
                return

    def _act(self, connection: socket.socket, action: Action) -> bool:
        if isinstance(action, bytes):
            connection.sendall(action)
        elif isinstance(action, float):
            time.sleep(action)
        elif action == "stall":
            self._stopped.wait(60)
            return False
        elif action == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        else:
            return False
        return True

    def _send_json(self, connection: socket.socket, document: dict[str, Any] | None) -> None:
        if document is None:
            connection.sendall(error_answer(404, "Not Found"))
            return
        body = json.dumps(document).encode()
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))


def _receive(connection: socket.socket) -> tuple[str, bytes]:
    data = b""
    while b"\r\n\r\n" not in data:
        data += _some(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    text = head.decode("latin-1")
    length = next((int(x.split(":")[1]) for x in text.split("\r\n") if x.lower().startswith("content-length")), 0)
    while len(body) < length:
        body += _some(connection)
    return text, body


def _some(connection: socket.socket) -> bytes:
    data = connection.recv(65536)
    if not data:
        raise OSError("closed early")
    return data
