"""Times chat requests from as near to the server as possible: on its own host, in a process of its own.

One file, standard library, Python 3.8 and later, because it is sent to the host as text and leaves nothing there. It
stamps and counts; it computes no figure. ``PLAN`` is put into its globals by the loader (edgeops/bench/loader.py); the
answers are JSON lines on stdout, one a finished step. Clock: CLOCK_MONOTONIC in nanoseconds.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
from typing import Any

PLAN: dict[str, Any] = globals().get("PLAN") or {}

READ = 65536
LIMIT = 16 * 1024 * 1024
KEPT = 65536
MOST_TOKENS = 10**9
IDLE_WAIT_S = 2.0
AFTER_DONE_S = 1.0
HOPELESS = 2
"""So many deadlines in a row end the run: a server that hangs is not asked forty times."""


class LowMemory(Exception):
    """The sampler saw less memory than the floor, while a request was under way."""


class Broken(Exception):
    """The connection failed, or what came over it is not HTTP or not whole."""


class Response:
    """An HTTP/1.1 response, decoded as its bytes arrive: chunked, with a length, or up to the close (RFC 9112, 6)."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.complete = False
        self._buffer = b""
        self._mode = ""
        self._left = 0
        self._state = "size"

    def feed(self, data: bytes) -> bytes:
        """Take bytes as read from the socket; give the bytes of the body that they complete."""
        self._buffer += data
        if not self._mode and not self._head():
            return b""
        if self._mode == "chunked":
            return self._chunks()
        body, self._buffer = self._buffer, b""
        if self._mode == "length":
            body = body[: self._left]
            self._left -= len(body)
            self.complete = self._left == 0
        return body

    def close(self) -> None:
        """The peer closed. Raises Broken unless that is a good end: between chunks, or where the close is the end."""
        good = self.complete or self._mode == "close"
        if not good and not (self._mode == "chunked" and self._state == "size" and not self._buffer):
            raise Broken("the connection closed before the response was whole")

    def _head(self) -> bool:
        if not b"HTTP/".startswith(self._buffer[:5]):
            raise Broken("the answer is not HTTP")
        end = re.search(rb"\r?\n\r?\n", self._buffer)
        if end is None:
            if len(self._buffer) > READ:
                raise Broken("the response's headers do not end")
            return False
        lines = self._buffer[: end.start()].decode("latin-1").splitlines()
        self._buffer = self._buffer[end.end() :]
        status = re.match(r"HTTP/1\.[01] (\d{3})", lines[0])
        if status is None:
            raise Broken("the response's first line is not HTTP/1.1")
        if status.group(1).startswith("1"):
            return bool(self._buffer) and self._head()
        self.status = int(status.group(1))
        pairs = (line.partition(":") for line in lines[1:])
        self.headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        self._choose_mode()
        return True

    def _choose_mode(self) -> None:
        length = self.headers.get("content-length", "")
        if "chunked" in self.headers.get("transfer-encoding", "").lower():
            self._mode = "chunked"
        elif length.isdigit():
            self._mode, self._left = "length", int(length)
            self.complete = self._left == 0
        else:
            self._mode = "close"

    def _chunks(self) -> bytes:
        body = b""
        while self._buffer and not self.complete:
            if self._state == "data":
                part = self._buffer[: self._left]
                body += part
                self._buffer = self._buffer[len(part) :]
                self._left -= len(part)
                if self._left:
                    break
                self._state = "gap"
                continue
            line, newline, rest = self._buffer.partition(b"\n")
            if not newline:
                if len(line) > 1024:
                    raise Broken("a chunk's size line does not end")
                break
            self._buffer = rest
            if self._state == "gap":
                if line.strip():
                    raise Broken("a chunk is longer than it says")
                self._state = "size"
            else:
                self._size(line.partition(b";")[0].strip())
        return body

    def _size(self, text: bytes) -> None:
        if re.match(rb"[0-9a-fA-F]{1,8}$", text) is None:
            raise Broken("a chunk's size is not a number")
        self._left, self._state = int(text, 16), "data"
        self.complete = self._left == 0


class EventSplitter:
    """Server-sent events from a body that arrives in pieces (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""

    def __init__(self) -> None:
        self._buffer = b""
        self._data: list[bytes] = []
        self._name = b""
        self._bytes = 0

    def feed(self, body: bytes) -> list[tuple[bytes, bytes, int]]:
        """Events that ``body`` completes: (name, data, bytes on the wire)."""
        lines = (self._buffer + body).split(b"\n")
        self._buffer = lines.pop()
        return [event for event in (self._line(line) for line in lines) if event is not None]

    def finish(self) -> list[tuple[bytes, bytes, int]]:
        """What stands at a good end of the body without its blank line. Raises Broken when it stops inside a line."""
        rest = self._buffer.strip()
        if re.match(rb"(data|event|id|retry):|d(at?)?a?$", rest) and rest not in (b"data: [DONE]", b"data:[DONE]"):
            raise Broken("the connection closed inside an event")
        return self.feed(b"\n\n")

    def _line(self, line: bytes) -> tuple[bytes, bytes, int] | None:
        self._bytes += len(line) + 1
        line = line[:-1] if line.endswith(b"\r") else line
        if line:
            name, _, value = line.partition(b":")
            value = value[1:] if value.startswith(b" ") else value
            if name == b"data":
                self._data.append(value)
            elif name == b"event":
                self._name = value
            return None
        event = (self._name, b"\n".join(self._data), self._bytes) if self._data else None
        self._data, self._name, self._bytes = [], b"", 0
        return event


def connect(deadline: float) -> socket.socket:
    seconds = max(0.001, deadline - time.monotonic())
    try:
        plain = socket.create_connection((PLAN["address"], PLAN["port"]), timeout=seconds)
    except socket.timeout:
        raise
    except (OSError, UnicodeError) as error:
        raise Broken(f"no connection: {getattr(error, 'strerror', None) or error}") from None
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if not PLAN.get("tls"):
        return plain
    return ssl.create_default_context().wrap_socket(plain, server_hostname=PLAN["address"])


def message(method: str, path: str, body: bytes) -> bytes:
    host = f"[{PLAN['address']}]" if ":" in PLAN["address"] else PLAN["address"]
    lines = [f"{method} {PLAN.get('root', '')}{path} HTTP/1.1", f"Host: {host}:{PLAN['port']}"]
    lines += ["Connection: close", "Accept: text/event-stream, application/json", "Accept-Encoding: identity"]
    if PLAN.get("key"):
        lines.append("Authorization: Bearer " + PLAN["key"])
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8") + body


class Exchange:
    """One request and its answer: raw stamped events, read without looking into them, and how it ended."""

    def __init__(self, payload: bytes, seconds: float) -> None:
        self.events: list[tuple[int, bytes, bytes, int]] = []
        self.sent_ns = self.connect_ns = self.headers_ns = 0
        self.response = Response()
        self.body = b""
        self.done = False
        self.ending, self.detail = "complete", ""
        self._splitter = EventSplitter()
        self._deadline = time.monotonic() + seconds
        self._run(payload)

    def _run(self, payload: bytes) -> None:
        try:
            self._attempt(payload)
        except LowMemory:
            self.ending, self.detail = "broken", "stopped by the probe: too little memory was left"
        if self.done:
            self.ending = "complete"

    def _attempt(self, payload: bytes) -> None:
        try:
            MEMORY.interrupts = True
            begin = time.monotonic_ns()
            with connect(self._deadline) as wire:
                self.connect_ns = time.monotonic_ns() - begin
                wire.sendall(payload[:-1])
                self.sent_ns = time.monotonic_ns()
                wire.sendall(payload[-1:])
                self._read(wire)
        except socket.timeout:
            self.ending, self.detail = "deadline", "no end within the deadline"
        except (Broken, OSError) as error:
            self.ending, self.detail = "broken", str(error)
        finally:
            MEMORY.interrupts = False

    def _read(self, wire: socket.socket) -> None:
        total = 0
        while not self.response.complete:
            wire.settimeout(max(0.001, self._deadline - time.monotonic()))
            data = wire.recv(READ)
            stamp = time.monotonic_ns()
            if not data:
                self.response.close()
                self.ending = "closed"
                break
            total += len(data)
            if total > LIMIT:
                raise Broken(f"the answer is longer than {LIMIT} bytes")
            self._take(stamp, self.response.feed(data))
            if stamp > self._deadline * 1e9:
                raise socket.timeout
        if not self.done and self.response.status < 300:
            self._keep(time.monotonic_ns(), self._splitter.finish())

    def _take(self, stamp: int, body: bytes) -> None:
        if self.response.status and not self.headers_ns:
            self.headers_ns = stamp
        if len(self.body) < KEPT:
            self.body += body
        if not self.done:
            self._keep(stamp, self._splitter.feed(body))

    def _keep(self, stamp: int, events: list[tuple[bytes, bytes, int]]) -> None:
        for name, data, size in events:
            self.events.append((stamp, name, data, size))
            if data.strip() == b"[DONE]":
                self.done = True
                self._deadline = min(self._deadline, time.monotonic() + AFTER_DONE_S)
                break


class Memory:
    """Whether memory fell below the floor. The signal ends a request under way, so that its memory comes back."""

    def __init__(self) -> None:
        self.low = self.interrupts = False

    def fall(self, *_: Any) -> None:
        self.low = True
        if self.interrupts:
            raise LowMemory


MEMORY = Memory()


def text_of(value: Any) -> str:
    return value if isinstance(value, str) else ""


def count_of(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


def parsed(data: bytes) -> Any:
    """JSON, with None for what JSON does not know (NaN, Infinity). Raises ValueError."""
    try:
        return json.loads(data.decode("utf-8"), parse_constant=lambda _: None)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def tool_text(calls: Any) -> str:
    functions = [call.get("function") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return "".join(text_of(f.get("name")) + text_of(f.get("arguments")) for f in functions if isinstance(f, dict))


def describe(name: bytes, data: bytes) -> tuple[dict[str, Any], str, str]:
    """What one event holds, without its text; its content; its reasoning."""
    if data.strip() == b"[DONE]":
        return {"done": True}, "", ""
    try:
        body = parsed(data)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        return ({"error": "event: error"} if name == b"error" else {"unreadable": True}), "", ""
    event: dict[str, Any] = {}
    if body.get("error") or name == b"error":
        event["error"] = json.dumps(body.get("error") or body)[:500]
    usage = body.get("usage")
    if isinstance(usage, dict):
        event["usage"] = {key: count_of(usage.get(key)) for key in ("prompt_tokens", "completion_tokens")}
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    content, reasoning = describe_choice(choice, event)
    return event, content, reasoning


def describe_choice(choice: dict[str, Any], event: dict[str, Any]) -> tuple[str, str]:
    delta = choice.get("delta")
    delta = delta if isinstance(delta, dict) else {}
    content = text_of(delta.get("content"))
    reasoning = text_of(delta.get("reasoning_content")) or text_of(delta.get("reasoning"))
    logprobs = choice.get("logprobs")
    entries = logprobs.get("content") if isinstance(logprobs, dict) else None
    found = {
        "role": bool(text_of(delta.get("role"))),
        "content": len(content),
        "reasoning": len(reasoning),
        "tool": len(tool_text(delta.get("tool_calls"))),
        "finish": text_of(choice.get("finish_reason")),
        "entries": len(entries) if isinstance(entries, list) else 0,
    }
    event.update({key: value for key, value in found.items() if value})
    return content, reasoning


def outcome(exchange: Exchange) -> dict[str, Any]:
    """The record of one exchange: stamps in nanoseconds after the send, sizes, texts. Nothing is computed from them."""
    events, contents, reasonings = [], [], []
    for stamp, name, data, size in exchange.events:
        event, content, reasoning = describe(name, data)
        events.append(dict(event, t=stamp - exchange.sent_ns, bytes=size))
        contents.append(content)
        reasonings.append(reasoning)
    failed = exchange.response.status >= 300
    return {
        "status": exchange.response.status,
        "ending": exchange.ending,
        "detail": exchange.body[:500].decode("utf-8", "replace") if failed else exchange.detail,
        "sent_ns": exchange.sent_ns,
        "connect_ns": exchange.connect_ns,
        "headers_ns": max(0, exchange.headers_ns - exchange.sent_ns),
        "events": [] if failed else events,
        "text": "".join(contents)[:KEPT],
        "reasoning": "".join(reasonings)[:KEPT],
    }


def with_nonce(messages: list[Any], nonce: str) -> list[Any]:
    """The messages with the nonce in front of the first user message: no server can replay an earlier prefix."""
    changed = [dict(entry) for entry in messages]
    for entry in changed:
        if entry.get("role") == "user":
            if isinstance(entry.get("content"), str):
                entry["content"] = nonce + entry["content"]
            elif isinstance(entry.get("content"), list):
                entry["content"] = [{"type": "text", "text": nonce}, *entry["content"]]
            break
    return changed


def ask(step: dict[str, Any], nonce: str, fields: dict[str, Any]) -> Exchange:
    messages = with_nonce(PLAN["prompts"][step.get("key", step["prompt"])], nonce + "\n" if nonce else "")
    named = {PLAN.get("renamed", {}).get(name, name): value for name, value in fields.items()}
    body = json.dumps(dict(named, messages=messages)).encode("utf-8")
    return Exchange(message("POST", "/v1/chat/completions", body), PLAN["deadline_s"])


def fields_of(step: dict[str, Any]) -> dict[str, Any]:
    fields = dict(PLAN["fields"], **PLAN["arms"][step["arm"]])
    fields.update(step.get("fields") or {})
    return fields


def emit(record: dict[str, Any]) -> None:
    try:
        sys.stdout.write(json.dumps(record) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os._exit(1)


def fetch(path: str) -> tuple[int, Any]:
    """A small GET outside everything that is timed: (status, JSON or None); status 0 when nothing answers."""
    exchange = Exchange(message("GET", path, b""), 5.0)
    try:
        return exchange.response.status, parsed(exchange.body)
    except ValueError:
        return exchange.response.status, None


COUNTS = (("active_requests", int), ("queued_requests", int))


def state() -> dict[str, Any]:
    """What /health says of load and method, and the memory that is left. Absent keys were not told."""
    status, health = fetch("/health")
    found: dict[str, Any] = {"status": status, "mem_available_kib": mem_available_kib()}
    if isinstance(health, dict):
        capabilities = health.get("capabilities")
        for source in (health, capabilities if isinstance(capabilities, dict) else {}):
            for key, kind in (*COUNTS, ("speculative_decoding", bool), ("speculative_method", str)):
                if type(source.get(key)) is kind:
                    found[key] = source[key]
    return found


def idle_state() -> dict[str, Any]:
    """The state when the server is idle, or as it is after two seconds of waiting for that."""
    until = time.monotonic() + IDLE_WAIT_S
    while True:
        found = state()
        if not (found.get("active_requests") or found.get("queued_requests")) or time.monotonic() > until:
            return found
        time.sleep(0.05)


def mem_available_kib() -> int | None:
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            found = re.search(r"^MemAvailable:\s+(\d+) kB", lines.read(), re.MULTILINE)
    except (OSError, ValueError):
        return None
    return int(found.group(1)) if found else None


class Sampling:
    """The sampler's process and what it says, which is passed on between requests only."""

    def __init__(self) -> None:
        process = server_process()
        plan = dict(PLAN["sampling"], probe_pid=os.getpid(), server_pid=process[0] if process else None)
        source = "PLAN=" + repr({key: plan[key] for key in plan if key != "source"}) + "\n"
        code = f"exec(compile({plan['source']!r},'sampler.py','exec'),{{'__name__':'__main__','PLAN':PLAN}})"
        signal.signal(signal.SIGUSR1, MEMORY.fall)
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", source + code], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
        )
        assert self._process.stdout is not None
        self._pipe = self._process.stdout.fileno()
        os.set_blocking(self._pipe, False)
        self._rest = b""

    def pass_on(self) -> None:
        *lines, self._rest = (self._rest + self._available()).split(b"\n")
        said = [parsed(line) for line in lines if line]
        for conditions in (one for one in said if one.get("kind") == "conditions"):
            emit(conditions)
        samples = [one for one in said if "kind" not in one]
        if samples:
            emit({"kind": "samples", "samples": samples})

    def _available(self) -> bytes:
        data = b""
        try:
            while True:
                some = os.read(self._pipe, READ)
                if not some:
                    return data
                data += some
        except BlockingIOError:
            return data

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()
        self.pass_on()


TOLD = ("max-input-len", "max-kv-cache-capacity", "max-batch-size", "max-queued-requests", "speculative-config")


def server_process() -> tuple[int, dict[str, str]] | None:
    """The process that serves our port, from /proc, and its flags: only those in ``TOLD``, never a key."""
    for entry in sorted(filter(str.isdigit, os.listdir("/proc")), key=int):
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                words = file.read().decode("utf-8", "replace").split("\0")
        except OSError:
            continue
        if "serve" in words or any(word.endswith("-serve") for word in words[:3]):
            flags = flags_in(words)
            if flags.get("port", "8000") == str(PLAN["port"]):
                return int(entry), {name: flags[name] for name in TOLD if name in flags}
    return None


def flags_in(words: list[str]) -> dict[str, str]:
    flags = {}
    for word, following in zip(words, [*words[1:], ""]):
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            flags[name] = value if equals else following
    return flags


def machine() -> dict[str, str]:
    """GPU, driver and board of this host, where it tells them."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader"]
    try:
        told = subprocess.run(query, stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        told = b""
    cells = [cell.strip() for cell in told.decode("utf-8", "replace").partition("\n")[0].split(",")]
    found = dict(zip(("gpu", "driver", "capability"), cells)) if len(cells) == 3 else {}
    for path in ("/sys/firmware/devicetree/base/model", "/sys/class/dmi/id/product_name"):
        found.setdefault("board", small_file(path).strip("\0\n "))
    return {key: value[:100] for key, value in found.items() if value and value != "[N/A]"}


def deployed() -> dict[str, Any] | None:
    """The release that edgeops has switched to, and what it recorded of it on this host; None where there is none.

    While a deploy measures, nothing is recorded yet: what is there then is of the release before.
    """
    try:
        release = os.path.basename(os.readlink("/opt/edgeops/current"))
    except OSError:
        return None
    try:
        state = json.loads(small_file("/var/lib/edgeops/state.json"))
        if str(state["serving"]["port"]) != str(PLAN["port"]) or state["release"] != release:
            return {"release": release, "checkpoints": []}
        parts = [{key: text_of(one.get(key)) for key in ("source", "revision")} for one in state["checkpoints"]]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {"release": release, "checkpoints": []}
    return {"release": release, "tensorrt": text_of(state.get("tensorrt")), "checkpoints": parts[:4]}


def small_file(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(READ)
    except OSError:
        return ""


def survey(step: dict[str, Any]) -> None:
    """Who serves here: health, models, version, flags, and whether this host says that it is simulated."""
    status, health = fetch("/health")
    models_status, models = fetch("/v1/models")
    _, openapi = fetch("/openapi.json")
    info = openapi.get("info") if isinstance(openapi, dict) else None
    rows = models.get("data") if isinstance(models, dict) else None
    rows = rows if isinstance(rows, list) else []
    process = server_process() if step["on_host"] else None
    emit(
        {
            "kind": "survey",
            "health_status": status,
            "health": health if isinstance(health, dict) else None,
            "models_status": models_status,
            "models": [row["id"] for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str)],
            "version": text_of(info.get("version")) or None if isinstance(info, dict) else None,
            "flags": process[1] if process else None,
            "simulated": step["on_host"] and os.path.exists("/etc/edgeops-lab"),
            "kernel": os.uname().release if step["on_host"] else None,
            "machine": machine() if step["on_host"] else {},
            "deployed": deployed() if step["on_host"] else None,
        }
    )


def negotiate(step: dict[str, Any]) -> None:
    """Which of the optional fields this server refuses; and whether it refuses a field that nobody knows."""
    fields = dict(fields_of(step))
    fields["model"] = fields.get("model") or served_model()
    refused: list[str] = []
    for _ in range(len(step["optional"]) + 2):
        exchange = ask(step, "", fields)
        if exchange.response.status not in (400, 422):
            break
        text = exchange.body.decode("utf-8", "replace")
        drop = refused_in(text, fields, step)
        if not drop:
            break
        refused += drop
        left = {name: value for name, value in fields.items() if name not in drop}
        fields = dict(left, **{step["renamed"][name]: fields[name] for name in drop if name in step["renamed"]})
    answer = {"kind": "negotiated", "refused": refused, "status": exchange.response.status, "ending": exchange.ending}
    if 200 <= exchange.response.status < 300:
        unknown = ask(step, "", dict(fields, edgeops_unknown_field=True))
        answer["strict"] = unknown.response.status in (400, 422)
    emit(dict(answer, detail=exchange.body[:500].decode("utf-8", "replace") if exchange.response.status >= 300 else ""))


def refused_in(text: str, fields: dict[str, Any], step: dict[str, Any]) -> list[str]:
    """The fields that an error names; all optional ones when it names none. One with a newer name goes by itself."""
    old = [name for name in step["renamed"] if name in fields and re.search(rf"\b{name}\b", text)]
    if old:
        return old
    left = [name for name in step["optional"] if name in fields]
    return [name for name in left if re.search(rf"\b{name}\b", text)] or left


def served_model() -> str:
    _, models = fetch("/v1/models")
    try:
        return text_of(models["data"][0]["id"])
    except (TypeError, KeyError, IndexError):
        return ""


def request(step: dict[str, Any], nonce: str) -> dict[str, Any]:
    before = idle_state()
    fields = fields_of(step)
    cpu, begin = time.process_time_ns(), time.monotonic_ns()
    exchange = ask(step, nonce, fields)
    wall_ns = time.monotonic_ns() - begin
    record = outcome(exchange)
    record.update(kind="request", step=step, before=before, wall_ns=wall_ns, cpu_ns=time.process_time_ns() - cpu)
    emit(record)
    return record


def rough_rate(record: dict[str, Any]) -> float:
    """Only for "steady or not": tokens a second between the first and the last event with text; 0 when unknown."""
    times = [event["t"] for event in record["events"] if event.get("content") or event.get("reasoning")]
    usages = [event["usage"]["completion_tokens"] for event in record["events"] if event.get("usage")]
    tokens = usages[-1] if usages and isinstance(usages[-1], int) else 0
    return tokens / (times[-1] - times[0]) if len(times) > 1 and times[-1] > times[0] else 0.0


def settle(step: dict[str, Any]) -> str:
    """Warm up: ``least`` requests, then until two in a row have rates within ``tolerance``; a nonce for each."""
    last = 0.0
    plain = {key: value for key, value in step.items() if key not in ("nonces", "least", "tolerance")}
    for count, nonce in enumerate(step["nonces"], 1):
        if MEMORY.low:
            break
        record = request(dict(plain, block=count - 1), nonce)
        rate = rough_rate(record)
        if count >= step["least"] and (not rate or (last and abs(rate - last) < step["tolerance"] * last)):
            return str(record["ending"])
        last = rate
    return ""


def run() -> None:
    sampling = Sampling() if PLAN.get("sampling") else None
    ended_because = run_steps(sampling)
    if sampling:
        sampling.stop()
    end = {"kind": "end", "cpu_ns": time.process_time_ns(), "complete": not ended_because}
    emit(dict(end, because=ended_because) if ended_because else end)


def run_steps(sampling: Sampling | None) -> str:
    """Take all steps; why it ended before the last one, or an empty text."""
    deadlines = 0
    for step in PLAN["steps"]:
        if sampling:
            sampling.pass_on()
        if MEMORY.low:
            return "memory"
        if step["do"] == "survey":
            survey(step)
        elif step["do"] == "negotiate":
            negotiate(step)
        elif step["do"] == "settle":
            settle(step)
        else:
            ending = request(step, step.get("nonce") or "")["ending"]
            deadlines = deadlines + 1 if ending == "deadline" else 0
            if deadlines == HOPELESS:
                return "deadlines"
    return "memory" if MEMORY.low else ""


if __name__ == "__main__":
    signal.alarm(max(1, int(PLAN["total_s"])))
    run()
