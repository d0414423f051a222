"""YAML as a tree of nodes in which every value still has its text and its line.

Loading it instead would read ``off`` as false, ``1.10`` as 1.1 and a revision ``0123457`` as an octal number, and would
keep the last of two equal keys in silence (YAML 1.1, https://yaml.org/type/).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from edgeops.errors import ConfigurationError

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULL = "tag:yaml.org,2002:null"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
"""Forbidden in YAML (https://yaml.org/spec/1.1/#id868524); PyYAML's two parsers disagree about the place."""
_LARGEST = 4 * 1024 * 1024
_DEEPEST = 60
_OPENING = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
_CLOSING = (yaml.MappingEndEvent, yaml.SequenceEndEvent)


def read_document(path: Path) -> yaml.Node | None:
    """Root of the only document in ``path``, None when it is empty. Raises ConfigurationError with file and line."""
    text = _read_text(path)
    try:
        _guard(yaml.parse(text, _LOADER), path)
        root: yaml.Node | None = yaml.compose(text, _LOADER)
    except yaml.MarkedYAMLError as error:
        raise ConfigurationError(f"{_place(path, error)}: broken YAML: {error.problem or error.context}") from None
    except yaml.YAMLError:
        raise ConfigurationError(f"{path}: broken YAML") from None
    return None if root is None or is_null(root) else root


def items(node: yaml.Node, path: Path) -> Iterator[tuple[str, str, yaml.Node]]:
    """Key, "file:line" and value of a mapping; nothing for a null: ``spark-01:`` without a body is Ansible's habit."""
    if is_null(node):
        return
    if not isinstance(node, yaml.MappingNode):
        raise ConfigurationError(
            f"{place(path, node)}: names with a colon after each are wanted here, not {kind(node)}"
        )
    seen: dict[str, str] = {}
    for key, value in node.value:
        where = place(path, key)
        if not isinstance(key, yaml.ScalarNode) or is_null(key):
            raise ConfigurationError(f"{where}: a name is wanted here, not {kind(key)}")
        if key.value in seen:
            raise ConfigurationError(f"{where}: {key.value!r} is given twice, first at {seen[key.value]}")
        seen[key.value] = where
        yield key.value, where, value


def place(path: Path, node: yaml.Node) -> str:
    return f"{path}:{node.start_mark.line + 1}"


def kind(node: yaml.Node) -> str:
    if isinstance(node, yaml.MappingNode):
        return "a mapping"
    return "a list" if isinstance(node, yaml.SequenceNode) else f"the value {node.value!r}"


def is_null(node: yaml.Node) -> bool:
    """Null as YAML means it: ``null``, ``~`` or nothing. A quoted "null" is a text."""
    return isinstance(node, yaml.ScalarNode) and node.tag == _NULL


def _read_text(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST:
            raise ConfigurationError(f"{path}: larger than {_LARGEST} bytes; that is no inventory")
        content = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigurationError(f"{path}:{line}: not a text file in UTF-8") from None
    if control := _CONTROL.search(text):
        line = text.count("\n", 0, control.start()) + 1
        raise ConfigurationError(f"{path}:{line}: a control character ({control.group()!r}) is no part of a text file")
    return text


def _guard(events: Iterator[yaml.Event], path: Path) -> None:
    """Refuse what costs without bound: aliases, which multiply when nested, and depth, since composing recurses."""
    depth = 0
    for event in events:
        where = f"{path}:{event.start_mark.line + 1 if event.start_mark else 1}"
        if isinstance(event, yaml.AliasEvent):
            raise ConfigurationError(
                f"{where}: YAML aliases (*name) are not read", "Write the value out, or put it in a group's vars."
            )
        depth += isinstance(event, _OPENING) - isinstance(event, _CLOSING)
        if depth > _DEEPEST:
            raise ConfigurationError(f"{where}: nested deeper than {_DEEPEST} levels; that is no inventory")


def _place(path: Path, error: yaml.MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    return f"{path}:{mark.line + 1}" if mark else str(path)
