"""The requirement on the port: free where the server will listen, or in use by our own service."""

from __future__ import annotations

import ipaddress

from edgeops.requirements.case import Case
from edgeops.requirements.verdict import Finding, failed, passed, skipped
from edgeops.snapshot.parsing.occupancy import Listener


def port(case: Case) -> Finding:
    settings = case.settings
    wanted = f"{settings.bind}:{settings.port} free"
    if case.facts.listeners is None:
        return skipped(case.unread("ports"), wanted)
    there = [one for one in case.facts.listeners if one.port == settings.port and _overlap(one.address, settings.bind)]
    others = [one for one in there if not _own(case, one)]
    if not others:
        return passed("in use by our own service" if there else "free", wanted)
    found = f"{others[0].address}:{others[0].port} is used by {_process(others[0])}"
    return failed(
        found, wanted, f"stop it, or set another `port:`. Who it is: sudo ss -ltnp 'sport = :{settings.port}'"
    )


def _own(case: Case, listener: Listener) -> bool:
    """Our own service's: its process; where that may not be seen, the address and port that it was deployed to."""
    own = case.facts.own
    if own is None or own.main_pid is None:
        return False
    if listener.pid is not None:
        return listener.pid == own.main_pid
    serving = (own.state or {}).get("serving")
    if not isinstance(serving, dict):
        return True
    return serving.get("port") == listener.port and _overlap(str(serving.get("address")), listener.address)


def _process(listener: Listener) -> str:
    return f"{listener.process} (pid {listener.pid})" if listener.process else "a process that this user may not see"


def _overlap(one: str, other: str) -> bool:
    """Whether two sockets on these addresses and one port would clash; a name that is no address clashes with all."""
    pair = {_plain(one), _plain(other)}
    return len(pair) == 1 or "*" in pair


def _plain(address: str) -> str:
    bare = "127.0.0.1" if address == "localhost" else address.strip("[]")
    try:
        known = ipaddress.ip_address(bare)
    except ValueError:
        return "*"
    return "*" if known.is_unspecified else str(known)
