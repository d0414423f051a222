"""``edgeops chat``, ``tunnel`` and ``logs`` over a real SSH connection, to the vendor's server."""

from __future__ import annotations

import json
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import requests

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def spark(lab, commands):
    host = lab.host("talk-01")
    assert commands.json("deploy", host.name, "--no-smoke")["ok"]
    return host


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@contextmanager
def asking(url: str) -> Iterator[None]:
    """Ask the server again and again, so that its journal goes on, until the end of the block."""
    enough = threading.Event()

    def ask() -> None:
        while not enough.wait(0.2):
            requests.get(url, timeout=20)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        enough.set()
        thread.join()


def active(host) -> int:
    return int(json.loads(host.said(f"curl -s http://{host.address}:8000/health"))["active_requests"])


def test_one_question_has_an_answer_and_its_figures(spark, commands) -> None:
    found = commands.json("chat", spark.name, "--once", "Say something.", "--max-tokens", "48")
    assert (found["schema"], found["host"], found["output_tokens"]) == ("edgeops.chat/1", spark.name, 48)
    assert found["answer"]
    assert found["ttft_ms"] > 0
    assert found["decode_tok_s"] > found["e2e_tok_s"] > 0


def test_a_conversation_ends_with_its_input(spark, commands) -> None:
    done = commands.run("chat", spark.name, "--max-tokens", "16", stdin="Hello\n/new\nAgain\n")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("first text after") == 2
    assert "Traceback" not in done.stderr


def test_an_interrupt_stops_the_answer_on_the_host_too(spark, commands) -> None:
    spark.set(spec_tok_s=5)
    try:
        with commands.started("chat", spark.name, "--once", "Go on.", "--max-tokens", "1000") as running:
            assert running.process.stdout is not None
            assert running.process.stdout.read(1)
            running.process.send_signal(signal.SIGINT)
            code, said = running.finish()
    finally:
        spark.set(spec_tok_s="")
    assert (code, "Traceback" in said) == (130, False), said
    assert "cut off" in said
    assert active(spark) == 0


def test_a_tunnel_leads_to_the_server_and_survives_a_broken_connection(spark, commands) -> None:
    port = free_port()
    with commands.started("tunnel", spark.name, "--port", str(port)) as running:
        running.wait_for("open until Ctrl-C")
        models = f"http://127.0.0.1:{port}/v1/models"
        assert requests.get(models, timeout=20).json()["object"] == "list"
        spark.ssh("sudo kill $(pgrep -f '^sshd: nvidia')")
        running.wait_for("connected again")
        assert requests.get(models, timeout=20).json()["object"] == "list"
        running.process.send_signal(signal.SIGINT)
        code, said = running.finish()
    assert (code, "Traceback" in said) == (0, False), said
    with pytest.raises(OSError):  # noqa: PT011  whichever way the port says that it is closed
        socket.create_connection(("127.0.0.1", port), timeout=5).close()


def test_a_port_that_is_taken_is_a_sentence(spark, commands) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = commands.run("tunnel", spark.name, "--port", str(taken.getsockname()[1]))
    assert done.returncode == 1
    assert "of this machine cannot be had" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_journal_is_shown_and_followed_and_nothing_stays_behind(spark, commands) -> None:
    lines = commands.json("logs", spark.name, "-n", "5")["hosts"][0]["lines"]
    assert len(lines) == 5
    assert all("trtedge" in line for line in lines)
    with commands.started("logs", spark.name, "-f", "-n", "0") as running:
        process = running.process
        assert process.stdout is not None
        with asking(f"http://{spark.address}:8000/v1/models"):
            seen = next(line for line in process.stdout if "GET /v1/models" in line)
        assert "trtedge" in seen
        process.send_signal(signal.SIGINT)
        code, said = running.finish()
    assert (code, "Traceback" in said) == (0, False), said
    assert spark.ssh("pgrep journalctl").stdout == ""


def test_logs_of_a_host_without_the_service_are_empty_and_no_error(lab, commands) -> None:
    bare = lab.host("talk-02")
    assert commands.json("logs", bare.name)["hosts"] == [{"host": bare.name, "lines": []}]
