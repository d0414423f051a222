"""A machine of the inventory, with everything that was said about it merged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from edgeops.settings import Settings

DEFAULT = "default"
"""The origin of a setting that nobody wrote down."""


@dataclass(frozen=True)
class Host:
    """One host and its settings.

    ``port`` and ``user`` are None where the inventory is silent, so that ``~/.ssh/config`` may answer. ``ssh`` holds
    the other connection data by pyinfra's names (``ssh_key``, ``ssh_known_hosts_file``, …), already of the right types.
    ``groups`` go from the widest to the narrowest. ``origins`` has "file:line" or "default" for each setting, and the
    place of each connection and foreign variable. ``foreign`` holds other tools' variables, which may be secrets:
    never print their values.
    """

    name: str
    address: str
    port: int | None = None
    user: str | None = None
    ssh: Mapping[str, Any] = field(default_factory=dict)
    groups: tuple[str, ...] = ("all",)
    settings: Settings = field(default_factory=Settings)
    origins: Mapping[str, str] = field(default_factory=dict)
    foreign: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_root(self) -> bool:
        """Whether the login user needs no sudo."""
        return self.user == "root"
