"""A setting's text becomes a value by the setting's own definition, not by YAML's guess."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from edgeops.inventory import Inventory
from edgeops.settings import Settings

Read = Callable[[str], Inventory]


def settings_of(read: Read, written: str) -> Settings:
    return read(f"all:\n  hosts:\n    a: {{{written}}}\n").hosts[0].settings


@pytest.mark.parametrize(
    ("written", "key", "value"),
    [
        ("method: off", "method", "off"),
        ("method: 'off'", "method", "off"),
        ("method: false", "method", "off"),
        ("method: no", "method", "off"),
        ("tensorrt_version: 10.10", "tensorrt_version", "10.10"),
        ("tensorrt_version: '10.*'", "tensorrt_version", "10.*"),
        ("model_revision: 0123457", "model_revision", "0123457"),
        ("model_revision: 12e4567", "model_revision", "12e4567"),
        ("draft_revision: 2026-11-30", "draft_revision", "2026-11-30"),
        ("served_name: 22:22", "served_name", "22:22"),
        ("served_name: yes", "served_name", "yes"),
        ("served_name: 'null'", "served_name", "null"),
        ("served_name: null", "served_name", None),
        ("served_name: ", "served_name", None),
        ("k: '5'", "k", 5),
        ("memory_reserve_gib: 7.5", "memory_reserve_gib", 7.5),
        ("hf_offline: yes", "hf_offline", True),
        ("hf_offline: off", "hf_offline", False),
        (
            "extra_serve_args: [--log-level, debug, --draft-top-k, 010]",
            "extra_serve_args",
            ("--log-level", "debug", "--draft-top-k", "010"),
        ),
        ("accept: [host.updates]", "accept", ("host.updates",)),
    ],
)
def test_a_value_is_what_was_written(read: Read, written: str, key: str, value: object) -> None:
    assert getattr(settings_of(read, written), key) == value


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("k: many", "k: must be a valid integer, not 'many'"),
        ("k: 2.5", "k: must be a valid integer, not '2.5'"),
        ("k: 65", "k: must be less than or equal to 64, not '65'"),
        ("k: ", "k: has no value; remove the line to get the default"),
        ("port: 70000", "port: must be less than or equal to 65535, not '70000'"),
        ("memory_reserve_gib: nan", "memory_reserve_gib: must be a finite number, not 'nan'"),
        ("memory_reserve_gib: inf", "memory_reserve_gib: must be a finite number, not 'inf'"),
        ("method: turbo", "method: must be 'dspark', 'dflash', 'mtp', 'eagle3' or 'off', not 'turbo'"),
        ("method: yes", "method: must be 'dspark', 'dflash', 'mtp', 'eagle3' or 'off', not 'yes'"),
        ("hf_offline: perhaps", "hf_offline: must be a valid boolean, not 'perhaps'"),
        ('served_name: "a\\nb"', "served_name: must be one line without control characters, not 'a\\nb'"),
        ("served_name: ''", "served_name: must not be empty, not ''"),
        ("served_name: [a, b]", "served_name: must be a valid string, not ['a', 'b']"),
        ("served_name: {a: 1}", "served_name: one value is wanted, not a mapping"),
        ("accept: host.updates", "accept: must be a list, as in [a, b], not 'host.updates'"),
        ("model: '{{ other }}'", "model: Jinja expressions are not evaluated; write the value out"),
        ("accept: ['{% raw %}']", "accept: Jinja expressions are not evaluated; write the value out"),
        ("extra_serve_args: [[a]]", "extra_serve_args: one value is wanted, not a list"),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_its_place(
    complaint: Callable[[str], str], written: str, said: str
) -> None:
    assert complaint(f"all:\n  hosts:\n    a:\n      {written}\n") == f"fleet.yml:4: {said}"


def test_a_vault_value_is_refused_where_it_would_be_a_setting(complaint: Callable[[str], str]) -> None:
    said = complaint("all:\n  hosts:\n    a:\n      api_key_file: !vault |\n        $ANSIBLE_VAULT;1.1\n")
    assert said.startswith("fleet.yml:4: api_key_file: values tagged !vault are not read")


def test_all_problems_are_said_at_once_and_each_once(complaint: Callable[[str], str]) -> None:
    said = complaint("all:\n  vars:\n    k: x\n    prot: 1\n  hosts:\n    a:\n    b: {port: 0}\n")
    assert said.splitlines() == [
        "fleet.yml:4: unknown setting 'prot'. Did you mean 'port'?",
        "  fleet.yml:3: k: must be a valid integer, not 'x'",
        "  fleet.yml:7: port: must be greater than or equal to 1, not '0'",
    ]


def test_many_problems_are_counted_not_poured_out(complaint: Callable[[str], str]) -> None:
    hosts = "".join(f"    h{n}: {{k: bad{n}}}\n" for n in range(30))
    said = complaint(f"all:\n  hosts:\n{hosts}").splitlines()
    assert (len(said), said[-1]) == (13, "  and 18 more")


def test_files_are_found_beside_the_inventory(read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    host = read(
        "all:\n  hosts:\n    a: {api_key_file: keys/a, hf_token_file: ~/t, ssh_key: id, ssh_known_hosts_file: /kh}\n"
    ).hosts[0]
    assert host.settings.api_key_file == tmp_path / "keys/a"
    assert host.settings.hf_token_file == Path("/home/somebody/t")
    assert host.ssh == {"ssh_key": str(tmp_path / "id"), "ssh_known_hosts_file": "/kh"}


def test_a_home_that_nobody_has_is_refused(complaint: Callable[[str], str]) -> None:
    said = complaint("all: {hosts: {a: {api_key_file: ~nobody-of-this-name/x}}}")
    assert said == "fleet.yml:1: api_key_file: nobody's home directory is called ~nobody-of-this-name"
