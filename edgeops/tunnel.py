"""``edgeops tunnel``: the server's port on this machine, for as long as it is wanted; made again when it breaks."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass

import gevent

from edgeops import engine
from edgeops.engine import Access, Session
from edgeops.engine.forward import LOOPBACK, forwarded, reached_at
from edgeops.errors import EdgeopsError
from edgeops.inventory import Host

LONGEST_S = 30 * 24 * 3600.0
LOOK_S = 0.5
KEEPALIVE_S = 10
PAUSE_S = 2.0
MOST_TRIALS = 30
"""A minute and more, since each trial takes its time: a host that boots is back by then."""


@dataclass(frozen=True)
class Tunnel:
    """``port`` of this machine leads to the server. ``wanted`` is the port that was asked for."""

    host: Host
    port: int
    wanted: int

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"


def hold(host: Host, port: int | None, access: Access, tell: Callable[[Tunnel | str], None]) -> None:
    """Hold the port open; ends with an exception alone. ``tell`` gets the tunnel when it is open, then sentences.

    Raises EdgeopsError when the host cannot be reached, at first or for long; engine.Interrupted on Ctrl-C.
    """
    wanted = port or host.settings.port
    local, opened, trials = (wanted if port else _free(wanted)), False, 0

    def work(session: Session) -> None:
        nonlocal local, opened, trials
        with forwarded(session, reached_at(host.settings.bind), host.settings.port, local) as way:
            local, trials = way.port, 0
            tell("connected again" if opened else Tunnel(host, local, wanted))
            opened = True
            session.transport.set_keepalive(KEEPALIVE_S)
            while session.transport.is_active():
                gevent.sleep(LOOK_S)

    while True:
        result = engine.run([host], work, deadline=LONGEST_S, access=access)[host.name]
        trials += 1
        if not opened or trials > MOST_TRIALS:
            raise EdgeopsError(f"{host.name}: {result.error or 'the connection broke'}", result.remedy)
        tell(f"the connection is gone ({result.error or 'it broke'}); trying again")
        gevent.sleep(PAUSE_S)


def _free(port: int) -> int:
    """``port`` where it is free on this machine, else 0, which means any."""
    try:
        with socket.create_server((LOOPBACK, port)):
            return port
    except OSError:
        return 0
