"""Socket options and time limits below paramiko, which sets none.

Without TCP_NODELAY each command pays some 40 ms to Nagle's algorithm; without TCP_USER_TIMEOUT a command on a host that
dropped off the network waits for ever; paramiko's own limit for opening a channel is an hour.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import Any

import paramiko

CHANNEL_TIMEOUT_S = 15
_UNACKNOWLEDGED_MS = 25_000
_OPTIONS = (
    (socket.IPPROTO_TCP, "TCP_NODELAY", 1),
    (socket.SOL_SOCKET, "SO_KEEPALIVE", 1),
    (socket.IPPROTO_TCP, "TCP_KEEPIDLE", 10),
    (socket.IPPROTO_TCP, "TCP_KEEPINTVL", 5),
    (socket.IPPROTO_TCP, "TCP_KEEPCNT", 3),
    (socket.IPPROTO_TCP, "TCP_USER_TIMEOUT", _UNACKNOWLEDGED_MS),
)


def open_transport(sock: Any, **kwargs: Any) -> paramiko.Transport:
    """A paramiko transport with low latency that notices within half a minute when its peer is gone."""
    for level, name, value in _OPTIONS:
        # Behind a jump host the "socket" is an SSH channel; other systems lack some of the options.
        with suppress(AttributeError, OSError):
            sock.setsockopt(level, getattr(socket, name), value)
    return paramiko.Transport(sock, **kwargs)


CONNECT_ARGUMENTS: dict[str, Any] = {
    "transport_factory": open_transport,
    "channel_timeout": CHANNEL_TIMEOUT_S,
    "banner_timeout": 15,
    "auth_timeout": 15,
}
"""For pyinfra's host data ``ssh_paramiko_connect_kwargs``."""
