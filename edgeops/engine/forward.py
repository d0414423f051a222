"""A port on this machine that leads to one of the host's, over the connection that is open anyway."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import gevent
from paramiko import Channel, SSHException

from edgeops.engine.session import Session
from edgeops.engine.transport import CHANNEL_TIMEOUT_S
from edgeops.errors import EdgeopsError

LOOPBACK = "127.0.0.1"
PIECE = 65536
TRIALS = 5


def reached_at(bind: str) -> str:
    """Where a server that binds to ``bind`` is reached on its own host."""
    return {"0.0.0.0": LOOPBACK, "::": "::1"}.get(bind, bind)


@dataclass(frozen=True)
class Forward:
    """``port`` listens on 127.0.0.1. ``round_trip_ms``: the least time in which the host answered of five tries."""

    port: int
    round_trip_ms: float


@contextmanager
def forwarded(session: Session, address: str, port: int, local_port: int = 0) -> Iterator[Forward]:
    """Lead ``local_port`` of this machine, 0 for a free one, to ``address:port`` as the host sees it, until the end of
    the block.

    Raises EdgeopsError when the host does not let it through, nothing listens there, or the local port is taken.
    """
    transport = session.transport

    def open_channel() -> Channel:
        return transport.open_channel("direct-tcpip", (address, port), (LOOPBACK, 0), timeout=CHANNEL_TIMEOUT_S)

    round_trip_ms = _round_trip_ms(session, f"{address}:{port}", open_channel)
    listener = _listener(local_port)
    serving = gevent.spawn(_serve, listener, open_channel)
    try:
        yield Forward(listener.getsockname()[1], round_trip_ms)
    finally:
        listener.close()
        serving.kill()


def _listener(port: int) -> socket.socket:
    try:
        return socket.create_server((LOOPBACK, port))
    except OSError as error:
        raise EdgeopsError(f"port {port} of this machine cannot be had: {error.strerror}", "Take another.") from error


def _round_trip_ms(session: Session, where: str, open_channel: Callable[[], Channel]) -> float:
    """Opening a channel is one question and one answer; the host's own loopback adds some tens of microseconds."""
    times = []
    for _ in range(TRIALS):
        begin = time.monotonic()
        try:
            open_channel().close()
        except (SSHException, EOFError, OSError) as error:
            raise EdgeopsError(
                f"{session.host.name}: its SSH connection leads to nothing at {where}: {error}",
                "Is the server up (`edgeops status`), and does sshd there have AllowTcpForwarding?",
            ) from error
        times.append((time.monotonic() - begin) * 1000)
    return min(times)


def _serve(listener: socket.socket, open_channel: Callable[[], Channel]) -> None:
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            return
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        gevent.spawn(_join, client, open_channel)


def _join(client: socket.socket, open_channel: Callable[[], Channel]) -> None:
    """Copy both ways until both have ended."""
    with client, suppress(SSHException, EOFError, OSError), open_channel() as channel:
        up = gevent.spawn(_copy, client, channel, channel.shutdown_write)
        try:
            _copy(channel, client, lambda: client.shutdown(socket.SHUT_WR))
        finally:
            up.kill()


def _copy(source: Any, target: Any, end: Callable[[], Any]) -> None:
    with suppress(SSHException, EOFError, OSError):
        while piece := source.recv(PIECE):
            target.sendall(piece)
        end()
