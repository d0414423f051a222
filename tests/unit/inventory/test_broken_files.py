"""A file may be anything: the answer is a sentence with file and line, never a traceback, and never a long wait."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edgeops.errors import ConfigurationError
from edgeops.inventory import Inventory, open_inventory

Read = Callable[..., Inventory]
Complaint = Callable[..., str]

BOMB = "a: &a [x, x]\n" + "\n".join(f"b{n}: &b{n} [*a, *a]" for n in range(40))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "all:\n  host: {a: }\n",
            "fleet.yml:2: a group has hosts, children and vars, not 'host'. Did you mean 'hosts'?",
        ),
        ("all:\n  hosts:\n    a: {k: 1}\n    a: {k: 2}\n", "fleet.yml:4: 'a' is given twice, first at fleet.yml:3"),
        ("all:\n  vars:\n    k: 1\n    k: 2\n", "fleet.yml:4: 'k' is given twice, first at fleet.yml:3"),
        ("all:\n  hosts: {a: }\nall:\n  hosts: {b: }\n", "fleet.yml:3: 'all' is given twice, first at fleet.yml:1"),
        (
            "all:\n  hosts:\n    a:\n      ansible_port: 22\n      ssh_port: 23\n",
            "fleet.yml:5: 'ssh_port' says the same as 'ansible_port'; keep one of them",
        ),
        ("all:\n  hosts: [a, b]\n", "fleet.yml:2: names with a colon after each are wanted here, not a list"),
        ("all:\n  hosts: a\n", "fleet.yml:2: names with a colon after each are wanted here, not the value 'a'"),
        ("- a\n- b\n", "fleet.yml:1: names with a colon after each are wanted here, not a list"),
        ("just words\n", "fleet.yml:1: names with a colon after each are wanted here, not the value 'just words'"),
        ("model: x\n", "fleet.yml:1: the group 'model' has hosts, children and vars below it, not the value 'x'"),
        ("all: {hosts: {[a]: }}\n", "fleet.yml:1: a name is wanted here, not a list"),
        ("all: {hosts: {~: }}\n", "fleet.yml:1: a name is wanted here, not the value '~'"),
        ("a b: {hosts: {c: }}\n", "fleet.yml:1: not a group's name: 'a b'"),
        ("all:\n  vars: &x {k: 1}\n  hosts: {a: *x}\n", "fleet.yml:3: YAML aliases (*name) are not read"),
        ("all:\n  vars: {<<: *x}\n", "fleet.yml:2: YAML aliases (*name) are not read"),
        (BOMB, "fleet.yml:2: YAML aliases (*name) are not read"),
        ("all:\n  x: " + "[" * 200, "fleet.yml:2: nested deeper than 60 levels; that is no inventory"),
        ("", "fleet.yml: no hosts in it"),
        ("# nothing\n---\n", "fleet.yml: no hosts in it"),
        ("all: {hosts: }\n", "fleet.yml: no hosts in it"),
        (b"all:\n  hosts:\n    \xff\xfe: x\n", "fleet.yml:3: not a text file in UTF-8"),
        (b"\x7fELF\x02\x01\x01\x00\x00", "fleet.yml:1: a control character ('\\x7f') is no part of a text file"),
        (b"all:\n\x00", "fleet.yml:2: a control character ('\\x00') is no part of a text file"),
    ],
)
def test_a_broken_file_is_a_sentence_with_its_line(complaint: Complaint, text: str | bytes, said: str) -> None:
    assert complaint(text) == said


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("all: {hosts: {a: \n", 2),
        ("all:\n  hosts:\n    a: 'unclosed\n", 4),
        ("all:\n\thosts:\n", 2),
        ("all:\n  hosts:\n   a:\n  b:\n c:\n", 5),
        ("a: b: c\n", 1),
        ("all: {hosts: {a: }}\n---\nall: {}\n", 2),
        ("all: {hosts: {a: *missing}}\n", 1),
        ("%YAML 3.0\n---\na: \n", 1),
    ],
)
def test_broken_yaml_names_the_line(complaint: Complaint, text: str, line: int) -> None:
    assert complaint(text).startswith(f"fleet.yml:{line}: ")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("fleet.ini", "ansible-inventory -i"),
        ("fleet", "ansible-inventory -i"),
    ],
)
def test_another_kind_of_file_names_the_way_over(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / name).write_text("[sparks]\nspark-01\n")
    with pytest.raises(ConfigurationError) as caught:
        open_inventory(tmp_path / name)
    assert said in caught.value.remedy


def test_a_file_that_is_no_regular_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fleet.yml")
    with pytest.raises(ConfigurationError, match="not a regular file"):
        open_inventory(tmp_path / "fleet.yml")


def test_a_file_too_large_for_an_inventory_is_not_read(complaint: Complaint) -> None:
    assert "larger than" in complaint("#" * (4 * 1024 * 1024 + 1))


def test_json_is_read_as_the_yaml_that_it_is(read: Read) -> None:
    text = '{"all": {"hosts": {"a": {"k": 5, "method": false, "hf_offline": true}}}}'
    (host,) = read(text, "fleet.json").hosts
    assert (host.settings.k, host.settings.method, host.settings.hf_offline) == (5, "off", True)


SCRAPS = st.sampled_from(
    ["all", "hosts", "children", "vars", ":", " ", "\n", "  ", "{", "}", "[", "]", "-", "k", "model", "*a", "&a",
     "!x", "'", '"',
     "|", "#", "\t",
     "{{", "1", "off", "spark-[1:3]", "\x00", "\u2028", "?", "<<", ",", "ssh_key", "~", "é", "---", "%"]
)  # fmt: skip


@given(st.lists(SCRAPS, max_size=60).map("".join))
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_text_whatever_ends_in_anything_but_hosts_or_a_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "any.yml"
    path.write_text(text, encoding="utf-8")
    said, hosts = "", ()
    try:
        hosts = open_inventory(path).hosts
    except ConfigurationError as error:
        said = error.message
    assert all(host.name and host.address for host in hosts)
    assert hosts or str(path) in said
