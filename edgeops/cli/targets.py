"""One host, for commands that can have no more."""

from __future__ import annotations

from edgeops.cli.options import Common
from edgeops.errors import ConfigurationError
from edgeops.inventory import Host, choose


def one_host(common: Common, target: str) -> Host:
    """The host that ``target`` means. Raises ConfigurationError when it means several."""
    hosts = choose(common.inventory, target)
    if len(hosts) > 1:
        names = ", ".join(host.name for host in hosts[:5]) + (", …" if len(hosts) > 5 else "")
        raise ConfigurationError(
            f"{target!r} means {len(hosts)} hosts ({names}), and this takes one", "Name one of them."
        )
    return hosts[0]
