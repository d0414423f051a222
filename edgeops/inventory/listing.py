"""What ``edgeops hosts`` shows: each host's values beside their origins, without anything that may be a secret."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from edgeops.inventory.connection import SECRET, canonical
from edgeops.inventory.host import DEFAULT, Host

SCHEMA = "edgeops.hosts/1"
_HIDDEN = "(set)"


def document(hosts: Iterable[Host]) -> dict[str, Any]:
    """The JSON answer. ``foreign`` has the places of other tools' variables, never their values."""
    return {"schema": SCHEMA, "hosts": [_described(host) for host in hosts]}


def lines(host: Host, *, everything: bool) -> Iterator[str]:
    """The text answer for one host: what was written for it, or every setting when ``everything`` is asked for."""
    yield f"{host.name}  {_login(host)}  groups: {', '.join(host.groups)}"
    described = _described(host)
    rows = [
        (key, said["value"], said["from"])
        for part in ("connection", "settings")
        for key, said in described[part].items()
    ]
    shown = [row for row in rows if everything or row[2] != DEFAULT]
    width = max((len(key) for key, _, _ in shown), default=0)
    for key, value, where in shown:
        yield f"  {key:<{width}}  {_text(value)}  ({where})"
    if len(shown) < len(rows):
        yield "  everything else has its default" if shown else "  every setting has its default"
    if host.foreign:
        ignored = ", ".join(f"{_visible(key)} ({where})" for key, where in described["foreign"].items())
        yield f"  ignored, as not edgeops': {ignored}"


def _described(host: Host) -> dict[str, Any]:
    places = {canonical(key): where for key, where in host.origins.items()}
    settings = host.settings.model_dump(mode="json")
    return {
        "host": host.name,
        "address": host.address,
        "port": host.port,
        "user": host.user,
        "groups": list(host.groups),
        "connection": {
            key: _said(_without_secret(key, value), places[key]) for key, value in _connection(host, places)
        },
        "settings": {key: _said(_without_login(value), host.origins[key]) for key, value in settings.items()},
        "foreign": {key: host.origins[key] for key in host.foreign if key in host.origins},
    }


def _connection(host: Host, places: Mapping[str, str]) -> Iterator[tuple[str, object]]:
    """What was written about how to reach the host, by pyinfra's names."""
    told = {"ssh_hostname": host.address, "ssh_port": host.port, "ssh_user": host.user, **host.ssh}
    return ((key, value) for key, value in told.items() if key in places)


def _said(value: object, where: str) -> dict[str, object]:
    return {"value": value, "from": where}


def _without_secret(key: str, value: object) -> object:
    return _HIDDEN if key in SECRET else value


def _without_login(value: object) -> object:
    """An index URL may carry a name and a password."""
    return re.sub(r"(?<=://)[^/@\s]+@", "…@", value) if isinstance(value, str) else value


def _login(host: Host) -> str:
    address = f"[{host.address}]" if ":" in host.address else host.address
    return (f"{host.user}@" if host.user else "") + address + (f":{host.port}" if host.port else "")


def _text(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_visible(str(item)) for item in value) + "]"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else _visible(str(value))


def _visible(text: str) -> str:
    """``text`` without anything that a terminal would obey."""
    return text if text.isprintable() else repr(text)
