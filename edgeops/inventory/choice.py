"""The hosts of one call: from the inventory, or named in full as ``user@address[:port]`` without one."""

from __future__ import annotations

import re
from pathlib import Path

from edgeops.errors import ConfigurationError
from edgeops.inventory.discovery import open_inventory
from edgeops.inventory.host import DEFAULT, Host
from edgeops.inventory.names import is_name
from edgeops.inventory.selection import words
from edgeops.settings import Settings

_DIRECT = re.compile(
    r"(?P<user>[^@\s]+)@(?:\[(?P<bracketed>[^\]\s]+)\]|(?P<plain>[^\[\]\s]+?))(?::(?P<port>[0-9]{1,5}))?"
)


def choose(common_inventory: Path | None, target: str | None) -> tuple[Host, ...]:
    """The hosts that ``target`` names, each once; every host of the inventory for None.

    A part with ``@`` in it is ``user@address[:port]``, with IPv6 in brackets when a port follows; no inventory is
    opened for it. Raises ConfigurationError.
    """
    if target is None:
        return open_inventory(common_inventory).select(None)
    parts = words(target)
    direct = [_direct_host(part) for part in parts if "@" in part]
    named = [part for part in parts if "@" not in part]
    listed = open_inventory(common_inventory).select(",".join(named)) if named else ()
    return tuple({host.name: host for host in (*listed, *direct)}.values())


def _direct_host(text: str) -> Host:
    """A host under the name by which it was called, with every setting at its default."""
    whole = text.partition("@")[2]
    found = (
        _DIRECT.fullmatch(f"{text[: -len(whole)]}[{whole}]")
        if whole.count(":") > 1 and "[" not in whole
        else _DIRECT.fullmatch(text)
    )
    address = (found["bracketed"] or found["plain"]) if found else ""
    if found is None or found["user"].startswith("-") or not is_name(address):
        raise ConfigurationError(
            f"not a host: {text!r}", "Write user@address or user@address:port, and IPv6 in brackets."
        )
    port = int(found["port"]) if found["port"] else None
    if port is not None and not 1 <= port <= 65535:
        raise ConfigurationError(f"not a port: {port} in {text!r}")
    origins = dict.fromkeys(Settings.model_fields, DEFAULT)
    return Host(text, address, port, found["user"], origins=origins)
