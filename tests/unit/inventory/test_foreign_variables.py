"""Other tools' variables: ignored and named, unless they are slips of ours or would change what happens."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from edgeops.inventory import Inventory

Read = Callable[[str], Inventory]


def fleet(written: str) -> str:
    return f"all:\n  hosts:\n    a:\n      {written}\n"


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("max_inpt_len", "max_input_len"),
        ("max-input-len", "max_input_len"),
        ("Model", "model"),
        ("mdoel", "model"),
        ("prot", "port"),
        ("edgelm_version", "edgellm_version"),
        ("api_key_fil", "api_key_file"),
        ("served_model_name", "served_name"),
        ("num_speculative_tokens", "k"),
        ("extra_server_args", "extra_serve_args"),
    ],
)
def test_a_slip_of_a_setting_is_an_error_with_the_nearest_key(
    complaint: Callable[[str], str], key: str, meant: str
) -> None:
    assert complaint(fleet(f"{key}: 1")) == f"fleet.yml:4: unknown setting {key!r}. Did you mean {meant!r}?"


@pytest.mark.parametrize(
    ("key", "meant"), [("ssh_usr", "ssh_user"), ("ansible_hots", "ansible_host"), ("ansible_prt", "ansible_port")]
)
def test_a_slip_of_a_connection_variable_is_an_error_too(complaint: Callable[[str], str], key: str, meant: str) -> None:
    assert complaint(fleet(f"{key}: x")) == f"fleet.yml:4: unknown connection variable {key!r}. Did you mean {meant!r}?"


@pytest.mark.parametrize(
    "key",
    [
        "mode",
        "ports",
        "report",
        "export",
        "sort",
        "kind",
        "http_port",
        "pip_index_url",
        "database",
        "x",
        "ansible_python_interpreter",
    ],
)
def test_any_other_key_is_ignored_and_remembered(read: Read, key: str) -> None:
    host = read(fleet(f"{key}: some text")).hosts[0]
    assert host.foreign == {key: "some text"}
    assert host.origins[key].endswith("fleet.yml:4")


@pytest.mark.parametrize("value", ["{a: {b: [c]}}", "[[1], {a: 2}]", "'{{ jinja }}'", "!vault x", ""])
def test_a_foreign_value_may_be_anything(read: Read, value: str) -> None:
    assert set(read(fleet(f"somebody_elses: {value}")).hosts[0].foreign) == {"somebody_elses"}


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("ansible_ssh_common_args: -o ProxyJump=gate", "~/.ssh/config"),
        ("ansible_become_password: x", "--ask-sudo"),
        ("ansible_become_pass: !vault x", "--ask-sudo"),
        ("_sudo_password: x", "--ask-sudo"),
        ("ansible_connection: local", "SSH alone"),
        ("ansible_become_method: doas", "sudo alone"),
        ("ansible_become_user: admin", "sudo alone"),
        ("ansible_shell_type: powershell", "POSIX shell"),
    ],
)
def test_a_variable_that_would_change_the_meaning_is_refused(
    complaint: Callable[[str], str], written: str, why: str
) -> None:
    said = complaint(fleet(written))
    assert said.startswith(f"fleet.yml:4: {written.partition(':')[0]} cannot be ignored")
    assert why in said


@pytest.mark.parametrize(
    "written",
    [
        "ansible_connection: ssh",
        "ansible_become_method: sudo",
        "ansible_become_user: root",
        "ansible_ssh_common_args: ''",
    ],
)
def test_the_same_variable_saying_what_is_done_anyway_is_ignored(read: Read, written: str) -> None:
    assert len(read(fleet(written)).hosts[0].foreign) == 1


def test_a_secret_of_another_tool_is_not_in_the_complaint(complaint: Callable[[str], str]) -> None:
    assert "hunter2" not in complaint(fleet("ansible_become_password: hunter2"))
