"""A setting of one host changed in the text of a YAML inventory: at its place, and nothing else of the text changes.

PyYAML's node tree tells where each value stands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import yaml

from edgeops.errors import ConfigurationError
from edgeops.inventory.document import is_null
from edgeops.inventory.names import expand

Changes = Mapping[str, str | int | None]
"""Setting → value; None takes the setting back to what it would be without the line."""

_PLAIN = re.compile(r"[A-Za-z0-9/][A-Za-z0-9_./+-]*")


def edited(text: str, host: str, changes: Changes, *, quoted: bool = False) -> str:
    """``text`` with the host's own values changed. ``quoted``: keys and texts as JSON has them. Pure."""
    for key, value in changes.items():
        told = "null" if value is None else _word(value, quoted=quoted)
        text = _with_setting(text, host, _Setting(key, f'"{key}"' if quoted else key, told))
    return text


def lines(changes: Changes) -> list[str]:
    """What a reader has to write: ``k: 5``."""
    return [f"{key}: {'null' if value is None else _word(value, quoted=False)}" for key, value in changes.items()]


@dataclass(frozen=True)
class _Setting:
    name: str
    key: str
    value: str

    @property
    def pair(self) -> str:
        return f"{self.key}: {self.value}"


@dataclass(frozen=True)
class _Entry:
    """A host, or a range of hosts, below some group's ``hosts``."""

    hosts: yaml.MappingNode
    key: yaml.ScalarNode
    body: yaml.Node
    names: tuple[str, ...]

    @property
    def literal(self) -> bool:
        return "[" not in self.key.value

    def value_of(self, name: str) -> tuple[yaml.Node, yaml.Node] | None:
        pairs = self.body.value if isinstance(self.body, yaml.MappingNode) else ()
        return next(((key, value) for key, value in pairs if key.value == name), None)


def _with_setting(text: str, host: str, setting: _Setting) -> str:
    entries = [entry for entry in _entries(yaml.compose(text, yaml.SafeLoader)) if host in entry.names]
    own = [entry for entry in entries if entry.literal]
    if not entries:
        raise ConfigurationError(f"{host} does not stand in the file")
    if not own:
        return _with_own_entry(text, entries[-1], host, setting)
    entry = next((one for one in reversed(own) if one.value_of(setting.name)), own[-1])
    if found := entry.value_of(setting.name):
        return _replaced(text, *found, setting.value)
    return _added(text, entry, setting)


def _entries(node: yaml.Node | None) -> Iterator[_Entry]:
    """Every entry below ``hosts``, in the order in which later ones win."""
    for _, group in node.value if isinstance(node, yaml.MappingNode) else ():
        for section, content in group.value if isinstance(group, yaml.MappingNode) else ():
            if section.value == "children":
                yield from _entries(content)
            elif section.value == "hosts" and isinstance(content, yaml.MappingNode):
                for key, body in content.value:
                    yield _Entry(content, key, body, tuple(name for name, _ in expand(key.value, "")))


def _replaced(text: str, key: yaml.Node, value: yaml.Node, new: str) -> str:
    start, end = value.start_mark.index, value.end_mark.index
    if start == end:
        start = end = text.index(":", key.end_mark.index) + 1
        new = f" {new}"
    return text[:start] + new + text[end:]


def _added(text: str, entry: _Entry, setting: _Setting) -> str:
    body = entry.body
    if not isinstance(body, yaml.MappingNode):
        if not is_null(body):
            raise ConfigurationError(f"{entry.key.value} has no settings below it")
        if entry.hosts.flow_style or body.start_mark.index != body.end_mark.index:
            return _replaced(text, entry.key, body, f"{{{setting.pair}}}")
        return _line_after(text, entry.key.end_mark.index, entry.key.start_mark.column + 2, setting.pair)
    if not body.value:
        start = body.start_mark.index + 1
        return text[:start] + setting.pair + text[start:]
    last = _end_of(body.value[-1])
    if body.flow_style:
        return f"{text[:last]}, {setting.pair}{text[last:]}"
    return _line_after(text, last, body.value[0][0].start_mark.column, setting.pair)


def _with_own_entry(text: str, among: _Entry, host: str, setting: _Setting) -> str:
    """After the range that holds it, since the later one wins."""
    last = _end_of((among.key, among.body))
    if among.hosts.flow_style:
        return f"{text[:last]}, {host}: {{{setting.pair}}}{text[last:]}"
    return _line_after(text, last, among.key.start_mark.column, f"{host}: {{{setting.pair}}}")


def _end_of(pair: tuple[yaml.Node, yaml.Node]) -> int:
    """Where the text of a key and its value ends, before comments and blank lines."""
    key, value = pair
    if isinstance(value, yaml.CollectionNode) and not value.flow_style and value.value:
        inner = value.value[-1]
        return _end_of(inner) if isinstance(inner, tuple) else _end_of((inner, inner))
    if isinstance(value, yaml.ScalarNode) and value.style in ("|", ">"):
        raise ConfigurationError(f"{key.value} is a text of several lines, and nothing is written below it")
    return max(int(key.end_mark.index), int(value.end_mark.index))


def _line_after(text: str, index: int, column: int, line: str) -> str:
    """``line`` on its own, below the one on which ``index`` stands, comments at its end included."""
    newline = "\r\n" if "\r\n" in text else "\n"
    end = re.compile(r"\r?\n|\Z").search(text, index)
    place = end.start() if end else len(text)
    return f"{text[:place]}{newline}{' ' * column}{line}{text[place:]}"


def _word(value: str | int, *, quoted: bool) -> str:
    plain = isinstance(value, int) or (not quoted and _PLAIN.fullmatch(value))
    return str(value) if plain else json.dumps(value)
