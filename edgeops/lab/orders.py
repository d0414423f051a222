"""What is asked of the lab, as values: hosts by name, kind and faults, and the request that goes to the root part."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from edgeops.errors import ConfigurationError
from edgeops.lab.faults import known_faults
from edgeops.lab.kinds import kind_called

_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?")


@dataclass(frozen=True)
class HostOrder:
    """One host to bring up. ``kind`` is one of KINDS, empty when nothing was said; ``faults`` are of FAULTS."""

    name: str
    kind: str = ""
    faults: tuple[str, ...] = ()


def host_orders(words: Iterable[str], faults: Iterable[str] = ()) -> tuple[HostOrder, ...]:
    """Read ``spark-01,thor-01`` and ``NAME=KIND``. Raises ConfigurationError for a bad word."""
    wanted = known_faults(_split(faults))
    orders = tuple(_order(word, wanted) for word in _split(words))
    names = [order.name for order in orders]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ConfigurationError(f"named twice: {', '.join(repeated)}")
    if not orders:
        raise ConfigurationError("no host is named", "edgeops lab up --hosts spark-01")
    return orders


def host_name(word: str) -> str:
    """``word``, when it can be a host's name. Raises ConfigurationError otherwise."""
    if not _NAME.fullmatch(word) or word == "all":
        raise ConfigurationError(
            f"{word!r} cannot be a simulated host's name",
            "Use lower-case letters, digits and hyphens, at most 32: spark-01",
        )
    return word


def _order(word: str, faults: tuple[str, ...]) -> HostOrder:
    name, separator, kind = word.partition("=")
    return HostOrder(host_name(name), kind_called(kind).name if separator else "", faults)


def _split(words: Iterable[str]) -> list[str]:
    return [part.strip() for word in words for part in word.split(",") if part.strip()]
