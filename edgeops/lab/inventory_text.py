"""The lab's inventory as text. What a user wrote in it is kept letter by letter: only the lines of hosts come and go.

PyYAML's node tree tells on which lines a host stands, so an edited or re-indented file is understood too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

import yaml

from edgeops.errors import ConfigurationError
from edgeops.lab.kinds import KINDS
from edgeops.lab.places import Workspace
from edgeops.lab.records import PORT, USER, HostRecord
from edgeops.lab.system import MODEL

EMPTY = """\
# Simulated hosts of `edgeops lab` on this machine: all but GPU, driver, CUDA and TensorRT is real, speed is scripted.
# Settings written here (k: 5, say) stay when `edgeops lab up` is called again; only hosts are added and removed.
all:
  children:
    lab:
      hosts: {}
"""


@dataclass(frozen=True)
class _Span:
    """Lines of a host, the first included, the last not."""

    first: int
    last: int


def updated(text: str, records: Sequence[HostRecord], workspace: Workspace) -> str:
    """``text`` with exactly the hosts of ``records``, each in the group ``lab`` and in that of its kind.

    Raises ConfigurationError when the text is not the lab's shape any more.
    """
    text = text or EMPTY
    text = _with_hosts(text, "lab", {record.name: _connection(record, workspace) for record in records})
    for kind in sorted({record.kind for record in records} | (set(_groups(text)) & _KINDS)):
        text = _with_hosts(text, kind, {record.name: [] for record in records if record.kind == kind})
    return text


def _connection(record: HostRecord, workspace: Workspace) -> list[str]:
    return [
        f"ansible_host: {record.address}",
        f"ansible_port: {PORT}",
        f"ansible_user: {USER}",
        f"ansible_ssh_private_key_file: {json.dumps(str(workspace.key))}",
        f"ssh_known_hosts_file: {json.dumps(str(workspace.known_hosts))}",
        f"bind: {record.address}",
        f"model: {MODEL}",
        f"draft_model: {MODEL}-DSpark",
    ]


def _with_hosts(text: str, group: str, wanted: dict[str, list[str]]) -> str:
    if group not in _groups(text):
        text = _with_group(text, group)
    for name, span in reversed(_spans(text, group).items()):
        if name not in wanted:
            text = _replaced(text, span, [])
    present = _spans(text, group)
    for name, lines in wanted.items():
        text = _moved(text, present.get(name), lines)
    added = [_host_lines(name, lines) for name, lines in wanted.items() if name not in present]
    return _inserted(text, group, [line for lines in added for line in lines])


def _with_group(text: str, group: str) -> str:
    """An empty group after the last one, indented as ``lab`` is."""
    children = _children(text)
    key = next(key for key, _ in children.value if key.value == "lab")
    end = _last_line(key, children) + 1
    return _replaced(text, _Span(end, end), [f"{_indent(key)}{group}:", f"{_indent(key)}  hosts: {{}}"])


def _moved(text: str, span: _Span | None, lines: list[str]) -> str:
    """A host's old lines with its new address: it may get another one when the machine has forgotten it."""
    address = next((line.split()[1] for line in lines if line.startswith("ansible_host:")), "")
    if span is None or not address:
        return text
    old = text.splitlines()[span.first : span.last]
    return _replaced(text, span, [re.sub(r"\b127\.0\.\d+\.\d+\b", address, line) for line in old])


def _host_lines(name: str, lines: list[str]) -> list[str]:
    return [f"{name}:", *(f"  {line}" for line in lines)] if lines else [f"{name}: {{}}"]


def _inserted(text: str, group: str, lines: list[str]) -> str:
    key, hosts = _hosts_of(text, group)
    spans = _spans(text, group)
    if not lines:
        empty = not spans and not hosts.flow_style
        return (
            _replaced(text, _Span(key.start_mark.line, key.start_mark.line + 1), [_indent(key) + "hosts: {}"])
            if empty
            else text
        )
    if not spans:
        head = _Span(key.start_mark.line, key.start_mark.line + 1)
        return _replaced(text, head, [_indent(key) + "hosts:", *(f"{_indent(key)}  {line}" for line in lines)])
    end = max(span.last for span in spans.values())
    indent = _indent(hosts.value[0][0])
    return _replaced(text, _Span(end, end), [indent + line for line in lines])


def _replaced(text: str, span: _Span, lines: list[str]) -> str:
    old = text.splitlines()
    return "\n".join([*old[: span.first], *lines, *old[span.last :]]) + "\n"


def _indent(node: yaml.Node) -> str:
    return " " * node.start_mark.column


def _spans(text: str, group: str) -> dict[str, _Span]:
    _, hosts = _hosts_of(text, group)
    pairs = hosts.value
    if pairs and hosts.flow_style:
        raise _strange(f"the hosts of {group} are written in braces")
    return {key.value: _Span(key.start_mark.line, _last_line(key, value) + 1) for key, value in pairs}


def _last_line(key: yaml.Node, value: yaml.Node) -> int:
    if isinstance(value, yaml.CollectionNode) and not value.flow_style:
        leaves = [leaf for item in value.value for leaf in (item if isinstance(item, tuple) else (item,))]
        return max(_last_line(key, leaf) for leaf in leaves)
    end = value.end_mark
    return max(key.start_mark.line, end.line if end.column or end.line == value.start_mark.line else end.line - 1)


def _hosts_of(text: str, group: str) -> tuple[yaml.Node, yaml.MappingNode]:
    for key, value in _groups(text)[group].value:
        if key.value == "hosts" and isinstance(value, yaml.MappingNode):
            return key, value
        if key.value == "hosts" and value.value == "":
            return key, yaml.MappingNode(value.tag, [], value.start_mark, value.end_mark, flow_style=False)
    raise _strange(f"the group {group} has no hosts: with names below")


def _groups(text: str) -> dict[str, yaml.MappingNode]:
    return {key.value: value for key, value in _children(text).value if isinstance(value, yaml.MappingNode)}


def _children(text: str) -> yaml.MappingNode:
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise _strange(str(error)) from None
    return _child(_child(root, "all"), "children")


def _child(node: yaml.Node | None, name: str) -> yaml.MappingNode:
    for key, value in node.value if isinstance(node, yaml.MappingNode) else []:
        if key.value == name and isinstance(value, yaml.MappingNode):
            return value
    raise _strange(f"there is no {name}:")


def _strange(what: str) -> ConfigurationError:
    return ConfigurationError(
        f".edgeops/lab/inventory.yml is not in the lab's shape any more: {what}",
        "Repair it, or move it away and call edgeops lab up again",
    )


_KINDS = set(KINDS)
