"""Ansible's YAML shape: groups at the top, in each of them hosts, children and vars."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import yaml

from edgeops.errors import ConfigurationError
from edgeops.inventory.connection import canonical
from edgeops.inventory.document import is_null, items, kind, read_document
from edgeops.inventory.groups import ALL, merge
from edgeops.inventory.names import MOST_HOSTS, expand
from edgeops.inventory.problems import nearest
from edgeops.inventory.written import Entry, Group, Tree, Value

_SECTIONS = ("hosts", "children", "vars")
_PRIORITY = "ansible_group_priority"


def read_yaml(path: Path) -> list[Entry]:
    """The hosts of ``path`` in the order of the file. Raises ConfigurationError naming file and line."""
    root = read_document(path)
    reader = _Reader(path, Tree({ALL: Group(f"{path}:1")}))
    if root is not None:
        for name, where, body in items(root, path):
            reader.read_group(name, body, where)
    return merge(reader.tree)


@dataclass(frozen=True)
class _Reader:
    """Fills ``tree`` from the nodes of ``path``."""

    path: Path
    tree: Tree

    def read_group(self, name: str, body: yaml.Node, where: str) -> None:
        if not re.fullmatch(r"\w[\w.-]*", name):
            raise ConfigurationError(f"{where}: not a group's name: {name!r}")
        if not is_null(body) and not isinstance(body, yaml.MappingNode):
            raise ConfigurationError(
                f"{where}: the group {name!r} has hosts, children and vars below it, not {kind(body)}"
            )
        group = self.tree.groups.setdefault(name, Group(where))
        for section, section_where, content in items(body, self.path):
            self._read_section(group, section, content, section_where)

    def _read_section(self, group: Group, section: str, content: yaml.Node, where: str) -> None:
        if section == "hosts":
            self._read_hosts(group, content)
        elif section == "children":
            for child, child_where, body in items(content, self.path):
                group.children.add(child)
                self.read_group(child, body, child_where)
        elif section == "vars":
            self._read_variables(group, content)
        else:
            hint = nearest(section, _SECTIONS, 0.6)
            raise ConfigurationError(f"{where}: a group has hosts, children and vars, not {section!r}.{hint}")

    def _read_hosts(self, group: Group, content: yaml.Node) -> None:
        for pattern, where, body in items(content, self.path):
            own = _variables(body, self.path)
            for name, port in expand(pattern, where):
                group.hosts.add(name)
                behind_colon = {} if port is None else {"ssh_port": Value("port", str(port), where)}
                self.tree.hosts[name] = self.tree.hosts.get(name, {}) | behind_colon | own
            if len(self.tree.hosts) > MOST_HOSTS:
                raise ConfigurationError(f"{where}: more than {MOST_HOSTS} hosts")

    def _read_variables(self, group: Group, content: yaml.Node) -> None:
        variables = _variables(content, self.path)
        priority = variables.pop(_PRIORITY, None)
        if priority is not None:
            group.priority = _whole(priority)
        group.variables.update(variables)


def _variables(node: yaml.Node, path: Path) -> dict[str, Value]:
    variables: dict[str, Value] = {}
    for key, where, content in items(node, path):
        name = canonical(key)
        if name in variables:
            raise ConfigurationError(f"{where}: {key!r} says the same as {variables[name].key!r}; keep one of them")
        variables[name] = _value(key, content, where)
    return variables


def _value(key: str, node: yaml.Node, where: str) -> Value:
    if isinstance(node, yaml.SequenceNode):
        reason = next((reason for item in node.value if (reason := _unreadable(item))), "")
        return Value(
            key, [item.value if isinstance(item, yaml.ScalarNode) else "" for item in node.value], where, reason
        )
    if isinstance(node, yaml.ScalarNode):
        return Value(key, None if is_null(node) else node.value, where, _unreadable(node))
    return Value(key, "", where, _unreadable(node))


def _unreadable(node: yaml.Node) -> str:
    if not node.tag.startswith("tag:yaml.org,2002:"):
        return f"values tagged {node.tag} are not read; write it out, or name a file (api_key_file, hf_token_file)"
    if not isinstance(node, yaml.ScalarNode):
        return f"one value is wanted, not {kind(node)}"
    if "{{" in node.value or "{%" in node.value:
        return "Jinja expressions are not evaluated; write the value out"
    return ""


def _whole(value: Value) -> int:
    if not isinstance(value.raw, str) or not re.fullmatch(r"-?[0-9]{1,9}", value.raw):
        raise ConfigurationError(f"{value.where}: {value.key} is a whole number, not {value.raw!r}")
    return int(value.raw)
