"""Which variables a host ends up with: the order in which groups override one another, as Ansible does it.

``all`` first, then by depth (the longest way down from ``all``), then by ``ansible_group_priority``, then by name; the
last one wins, and the host itself over every group. Source: "How variables are merged",
https://docs.ansible.com/ansible/latest/inventory_guide/intro_inventory.html
"""

from __future__ import annotations

from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter

from edgeops.errors import ConfigurationError
from edgeops.inventory.written import Entry, Group, Tree, Value

ALL = "all"


def merge(tree: Tree) -> list[Entry]:
    """Each host once, in the order of the file. Raises ConfigurationError for groups that contain one another."""
    parents = _parents(tree.groups)
    order = _sorted_from_the_top(parents, tree.groups)
    depth: dict[str, int] = {}
    wider: dict[str, set[str]] = {}
    for name in order:
        depth[name] = 1 + max((depth[parent] for parent in parents[name]), default=-1)
        wider[name] = {name}.union(*(wider[parent] for parent in parents[name]))
    rank = {name: (depth[name], group.priority, name) for name, group in tree.groups.items()}
    direct = _groups_by_host(tree.groups)
    entries = []
    for host, own in tree.hosts.items():
        member = sorted({ALL}.union(*(wider[group] for group in direct[host])), key=rank.__getitem__)
        entries.append(Entry(host, tuple(member), _layered(member, tree.groups, own)))
    return entries


def _layered(member: Iterable[str], groups: dict[str, Group], own: dict[str, Value]) -> dict[str, Value]:
    variables: dict[str, Value] = {}
    for group in member:
        variables |= groups[group].variables
    return variables | own


def _parents(groups: dict[str, Group]) -> dict[str, set[str]]:
    parents: dict[str, set[str]] = {name: set() if name == ALL else {ALL} for name in groups}
    for name, group in groups.items():
        for child in group.children:
            parents[child].add(name)
    return parents


def _sorted_from_the_top(parents: dict[str, set[str]], groups: dict[str, Group]) -> list[str]:
    try:
        return list(TopologicalSorter(parents).static_order())
    except CycleError as error:
        circle = error.args[1]
        where = groups[circle[0]].where
        raise ConfigurationError(f"{where}: groups contain one another: {', '.join(sorted(set(circle)))}") from None


def _groups_by_host(groups: dict[str, Group]) -> dict[str, set[str]]:
    direct: dict[str, set[str]] = {}
    for name, group in groups.items():
        for host in group.hosts:
            direct.setdefault(host, set()).add(name)
    return direct
