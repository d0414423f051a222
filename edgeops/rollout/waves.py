"""Which hosts are changed together, and in which order: canaries first, then batches in the inventory's order. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from edgeops.errors import ConfigurationError


@dataclass(frozen=True)
class Canary:
    """Who goes first: hosts by name, or so many of each kind of hardware. Neither: no canary."""

    names: tuple[str, ...] = ()
    per_kind: int = 0

    def __bool__(self) -> bool:
        return bool(self.names or self.per_kind)


@dataclass(frozen=True)
class Share:
    """A number of hosts, or a percentage of all of them."""

    value: int
    percent: bool = False

    def of(self, total: int) -> int:
        """So many hosts, at least one of a batch; a percentage is rounded up."""
        return math.ceil(total * self.value / 100) if self.percent else self.value


def read_canary(text: str | None) -> Canary:
    """``2`` (two of each kind) or ``spark-01,thor-01``. Raises ConfigurationError."""
    if text is None:
        return Canary()
    if re.fullmatch(r"\s*[0-9]{1,6}\s*", text) and int(text):
        return Canary(per_kind=int(text))
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if not names or text.strip() == "0":
        raise ConfigurationError(
            f"--canary {text!r} names no host", "Give a number, or host names with commas between."
        )
    return Canary(names)


def read_share(text: str, option: str) -> Share:
    """``3`` or ``25%``. Raises ConfigurationError naming ``option``."""
    match = re.fullmatch(r"\s*([0-9]{1,6})\s*(%?)\s*", text)
    share = Share(int(match[1]), bool(match[2])) if match else None
    if share is None or (share.percent and share.value > 100):
        raise ConfigurationError(f"{option} {text!r} is no number of hosts", "Write 3, or 25% of all hosts.")
    return share


def read_batches(text: str | None) -> tuple[Share, ...]:
    """``1,25%,100%``: the sizes of successive batches, the last one repeated. Raises ConfigurationError."""
    shares = tuple(read_share(part, "--batches") for part in text.split(",")) if text is not None else ()
    if any(share.value == 0 for share in shares):
        raise ConfigurationError(f"--batches {text!r} has an empty batch", "Each batch takes at least one host.")
    return shares


def plan_waves(
    hosts: Sequence[str], kinds: Mapping[str, str], canary: Canary, batches: Sequence[Share]
) -> list[list[str]]:
    """Waves of host names; every host is in exactly one. ``kinds`` is needed for a canary of each kind.

    The same hosts, kinds and options give the same waves. Raises ConfigurationError for a canary that is no target.
    """
    first = _canaries(hosts, kinds, canary)
    rest = [host for host in hosts if host not in first]
    return [*([first] if first else []), *_batched(rest, len(hosts), batches)]


def _canaries(hosts: Sequence[str], kinds: Mapping[str, str], canary: Canary) -> list[str]:
    unknown = [name for name in canary.names if name not in hosts]
    if unknown:
        known = f"Targets: {', '.join(hosts)}."
        raise ConfigurationError(f"the canary {', '.join(unknown)} is not among the targets", known)
    if canary.names:
        return list(dict.fromkeys(canary.names))
    chosen: dict[str, list[str]] = {}
    for host in hosts:
        group = chosen.setdefault(kinds[host], []) if host in kinds else []
        if host in kinds and len(group) < canary.per_kind:
            group.append(host)
    return [host for host in hosts if any(host in group for group in chosen.values())]


def _batched(rest: Sequence[str], total: int, batches: Sequence[Share]) -> list[list[str]]:
    waves, left = [], list(rest)
    for number in range(len(left)):
        if not left:
            break
        size = batches[min(number, len(batches) - 1)].of(total) if batches else len(left)
        waves.append(left[: max(size, 1)])
        left = left[max(size, 1) :]
    return waves
