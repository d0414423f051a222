"""Whose value wins, in Ansible's order: depth, then priority, then name, then the host itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from edgeops.inventory import Inventory

Read = Callable[[str], Inventory]

FLEET = """
all:
  vars: {k: 1, served_name: everywhere}
  hosts:
    lone:
  children:
    outer:
      vars: {k: 2}
      children: {beta: {}, alpha: {}}
beta:
  vars: {k: 4}
  hosts:
    both:
    own: {k: 9}
alpha:
  vars: {k: 3, draft_model: from-alpha}
  hosts: {both: , only: }
"""


def test_the_deeper_group_wins_then_the_later_name_then_the_host(read: Read) -> None:
    merged = {host.name: host.settings.k for host in read(FLEET).hosts}
    assert merged == {"lone": 1, "both": 4, "own": 9, "only": 3}


def test_a_value_comes_from_the_line_that_won(read: Read) -> None:
    both = read(FLEET).select("both")[0]
    places = {key: both.origins[key].rpartition(":")[2] for key in ("k", "draft_model", "served_name", "model")}
    assert places == {"k": "11", "draft_model": "16", "served_name": "3", "model": "default"}


def test_groups_go_from_the_widest_to_the_narrowest(read: Read) -> None:
    assert read(FLEET).select("both")[0].groups == ("all", "outer", "alpha", "beta")


def test_depth_is_the_longest_way_down(read: Read) -> None:
    text = """
all: {children: {zed: {vars: {k: 7}, children: {middle: {children: {deep: }}}}, deep: {vars: {k: 5}, hosts: {a: }}}}
"""
    assert read(text).hosts[0].groups == ("all", "zed", "middle", "deep")
    assert read(text).hosts[0].settings.k == 5


def test_a_groups_priority_counts_within_one_depth(read: Read) -> None:
    text = """
alpha: {vars: {k: 3, ansible_group_priority: 10}, hosts: {a: }}
beta: {vars: {k: 4}, hosts: {a: }}
deep: {children: {deeper: {vars: {port: 1}, hosts: {a: }}}, vars: {port: 2, ansible_group_priority: 99}}
"""
    host = read(text).hosts[0]
    assert (host.settings.k, host.settings.port) == (3, 1)


def test_a_host_named_in_several_places_is_one_host(read: Read) -> None:
    text = "all: {hosts: {a: {k: 5}}}\nsparks: {hosts: {a: {port: 9000}}}\n"
    (host,) = read(text).hosts
    assert (host.settings.k, host.settings.port, host.groups) == (5, 9000, ("all", "sparks"))


def test_another_spelling_of_a_connection_variable_is_the_same_variable(read: Read) -> None:
    text = "all: {vars: {ssh_user: wide}, hosts: {a: {ansible_user: narrow}, b: }}"
    assert [host.user for host in read(text).hosts] == ["narrow", "wide"]


def test_groups_may_be_stated_before_and_after_they_are_contained(read: Read) -> None:
    text = "inner: {hosts: {a: }}\nall: {children: {outer: {children: {inner: }}}}\nouter: {vars: {k: 8}}\n"
    assert read(text).hosts[0].settings.k == 8


def test_groups_that_contain_one_another_are_refused(complaint: Callable[[str], str]) -> None:
    said = complaint("a: {children: {b: {children: {c: }}}}\nc:\n  children: {a: }\n")
    assert said == "fleet.yml:1: groups contain one another: a, b, c"
    assert "contain one another" in complaint("a:\n  children:\n    all:\n")


def test_a_long_chain_of_groups_is_merged_without_recursion(read: Read) -> None:
    chain = "\n".join(f"g{n}: {{children: {{g{n + 1}: }}}}" for n in range(1500))
    assert len(read(f"{chain}\ng1500: {{hosts: {{a: }}}}\n").hosts[0].groups) == 1502


@pytest.mark.parametrize(("priority", "said"), [("high", "'high'"), ("[1]", "['1']"), ("", "None")])
def test_a_priority_that_is_no_number_is_refused(complaint: Callable[[str], str], priority: str, said: str) -> None:
    expected = f"fleet.yml:1: ansible_group_priority is a whole number, not {said}"
    assert complaint(f"a: {{vars: {{ansible_group_priority: {priority}}}, hosts: {{h: }}}}") == expected
