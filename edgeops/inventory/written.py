"""What an inventory file says, before anybody decides what it means: raw values, each with its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Value:
    """A variable as written.

    ``key`` is its name in the file, ``raw`` its text, a list of texts, None for YAML's null, or any object from a
    Python inventory. ``where`` is "file:line". ``unreadable`` says why it cannot be a setting, and is empty if it can.
    """

    key: str
    raw: object
    where: str
    unreadable: str = ""


@dataclass(frozen=True)
class Entry:
    """One host of a file: the groups it is in, from the widest to the narrowest, and its merged variables."""

    name: str
    groups: tuple[str, ...]
    variables: Mapping[str, Value]


@dataclass
class Group:
    """A group while its file is being read; one group may be described in several places."""

    where: str
    hosts: set[str] = field(default_factory=set)
    children: set[str] = field(default_factory=set)
    variables: dict[str, Value] = field(default_factory=dict)
    priority: int = 1


@dataclass
class Tree:
    """All groups by name, and what is said of each host itself, in the order of the file."""

    groups: dict[str, Group] = field(default_factory=dict)
    hosts: dict[str, dict[str, Value]] = field(default_factory=dict)
