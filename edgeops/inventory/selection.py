"""TARGET: which hosts of an inventory a command is for."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from pathlib import Path

from edgeops.errors import ConfigurationError
from edgeops.inventory.groups import ALL
from edgeops.inventory.host import Host
from edgeops.inventory.problems import nearest
from edgeops.locations import LAB_INVENTORY

_LISTED = 12


@dataclass(frozen=True)
class Inventory:
    """The hosts of the file ``path``, in its order."""

    path: Path
    hosts: tuple[Host, ...]

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of all groups that have a host, in the order in which they are met."""
        return tuple(dict.fromkeys(group for host in self.hosts for group in host.groups))

    def select(self, target: str | None) -> tuple[Host, ...]:
        """The hosts that ``target`` names, each once, in the inventory's order; every host for None.

        A target is a host, a group, a glob over both, ``all``, or several of these with commas between. Raises
        ConfigurationError for a name that means nothing here, or two things.
        """
        if target is None:
            return self.hosts
        chosen = {host.name for word in words(target) for host in self._named(word)}
        return tuple(host for host in self.hosts if host.name in chosen)

    def _named(self, word: str) -> tuple[Host, ...]:
        by_name = tuple(host for host in self.hosts if host.name == word)
        by_group = tuple(host for host in self.hosts if word in host.groups)
        if by_name and by_group and by_name != by_group:
            raise ConfigurationError(f"{word!r} is a host and a group in {self.path}", "Rename one of them.")
        return by_name or by_group or self._matched(word)

    def _matched(self, glob: str) -> tuple[Host, ...]:
        found = tuple(
            host
            for host in self.hosts
            if any(fnmatch.fnmatchcase(name, glob) for name in (host.name, *host.groups[1:]))
        )
        if not found:
            raise self._unknown(glob)
        return found

    def _unknown(self, word: str) -> ConfigurationError:
        names = [host.name for host in self.hosts]
        groups = [group for group in self.groups if group != ALL]
        known = ", ".join([*groups, *names][:_LISTED]) + (", …" if len(names) + len(groups) > _LISTED else "")
        hint = nearest(word, [*names, *groups, ALL], 0.6)
        return ConfigurationError(f"no host or group {word!r} in {self.path}.{hint} Known: {known}", self._elsewhere())

    def _elsewhere(self) -> str:
        if LAB_INVENTORY.is_file() and self.path != LAB_INVENTORY:
            return f"edgeops hosts lists all of them. A lab is here as well: -i {LAB_INVENTORY}"
        return "edgeops hosts lists all of them."


def words(target: str) -> list[str]:
    """The parts of a TARGET. Raises ConfigurationError when there are none."""
    parts = [part.strip() for part in target.split(",") if part.strip()]
    if not parts:
        raise ConfigurationError("an empty TARGET", 'Name a host, a group, a glob such as "spark-*", or all.')
    return parts
