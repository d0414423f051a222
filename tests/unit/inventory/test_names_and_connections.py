"""Host names, ranges and how to connect: of the types that the engine needs, and never an option or a second line."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from edgeops.inventory import Inventory

Read = Callable[[str], Inventory]
Complaint = Callable[[str], str]


def named(pattern: str) -> str:
    return f'all:\n  hosts:\n    "{pattern}":\n'


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("spark-[01:03]", ["spark-01", "spark-02", "spark-03"]),
        ("n[8:10]", ["n8", "n9", "n10"]),
        ("n[:2]", ["n0", "n1", "n2"]),
        ("n[0:10:5]x", ["n0x", "n5x", "n10x"]),
        ("car-[a:c]", ["car-a", "car-b", "car-c"]),
        ("r[1:2]-[a:b]", ["r1-a", "r1-b", "r2-a", "r2-b"]),
        ("10.0.0.1", ["10.0.0.1"]),
        ("fe80::1", ["fe80::1"]),
        ("[fe80::1]:22", ["fe80::1"]),
        ("shop.example", ["shop.example"]),
        ("größe", ["größe"]),
    ],
)
def test_a_pattern_stands_for_these_hosts(read: Read, pattern: str, names: list[str]) -> None:
    assert [host.name for host in read(named(pattern)).hosts] == names


@pytest.mark.parametrize(
    ("pattern", "port"), [("a:2222", 2222), ("[fe80::1]:23", 23), ("n[1:2]:24", 24), ("fe80::1", None), ("a", None)]
)
def test_a_port_may_stand_behind_the_name(read: Read, pattern: str, port: int | None) -> None:
    assert {host.port for host in read(named(pattern)).hosts} == {port}


def test_the_variable_wins_over_the_port_behind_the_name(read: Read) -> None:
    assert read("all: {hosts: {'a:2222': {ansible_port: 23}}}").hosts[0].port == 23


@pytest.mark.parametrize(
    "pattern",
    ["-oProxyCommand=x", "a b", "a/b", "../a", "a,b", "a*", "a\\nb", "a\\u0000", "",
     "n[9:1]", "n[1:", "n[1:a]", "n[1:3:0]", "n[01:3]", "n[x]",
     "n[1:99999999]", "n[0:999][0:999]", "a:0", "a:70000", "[zz]:1", "@local", "x" * 300],
)  # fmt: skip
def test_a_name_that_is_none_is_refused_with_its_line(complaint: Complaint, pattern: str) -> None:
    assert complaint(named(pattern)).startswith("fleet.yml:3: ")


def test_too_many_hosts_are_refused(complaint: Complaint) -> None:
    said = complaint("all:\n  hosts:\n    a[1:9000]:\n    b[1:9000]:\n")
    assert said == "fleet.yml:4: more than 10000 hosts"


@pytest.mark.parametrize(
    ("written", "key", "value"),
    [
        ("ssh_allow_agent: no", "ssh_allow_agent", False),
        ("ssh_look_for_keys: 'true'", "ssh_look_for_keys", True),
        ("ssh_connect_retries: 3", "ssh_connect_retries", 3),
        ("ssh_connect_retry_max_delay: 1.5", "ssh_connect_retry_max_delay", 1.5),
        ("ssh_strict_host_key_checking: yes", "ssh_strict_host_key_checking", "yes"),
        ("ssh_strict_host_key_checking: accept-new", "ssh_strict_host_key_checking", "accept-new"),
        ("ansible_ssh_private_key_file: /k", "ssh_key", "/k"),
        ("ansible_private_key_file: /k", "ssh_key", "/k"),
        ("ansible_ssh_pass: 0123", "ssh_password", "0123"),
        ("ssh_config_file: /c", "ssh_config_file", "/c"),
        ("ssh_file_transfer_protocol: scp", "ssh_file_transfer_protocol", "scp"),
    ],
)
def test_connection_data_has_the_types_that_the_engine_needs(read: Read, written: str, key: str, value: object) -> None:
    data = read(f"all: {{hosts: {{a: {{{written}}}}}}}").hosts[0].ssh
    assert data == {key: value}
    assert type(data[key]) is type(value)


def test_address_port_and_user_have_places_of_their_own(read: Read) -> None:
    host = read("all: {hosts: {a: {ansible_host: '[fe80::2]', ansible_port: '2222', ansible_user: root}}}").hosts[0]
    assert (host.address, host.port, host.user, host.is_root, dict(host.ssh)) == ("fe80::2", 2222, "root", True, {})


def test_what_is_not_said_is_left_to_the_readers_ssh_configuration(read: Read) -> None:
    host = read("all: {hosts: {a: }}").hosts[0]
    assert (host.address, host.port, host.user, host.is_root) == ("a", None, None, False)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("ansible_port: ssh", "ansible_port: a port from 1 to 65535 is wanted, not 'ssh'"),
        ("ansible_port: 022x", "ansible_port: a port from 1 to 65535 is wanted, not '022x'"),
        (
            "ansible_host: -oProxyCommand=x",
            "ansible_host: a host name or an IP address is wanted, not '-oProxyCommand=x'",
        ),
        ("ansible_host: ''", "ansible_host: a host name or an IP address is wanted, not ''"),
        ("ansible_user: -x", "ansible_user: a login name is wanted, not '-x'"),
        ('ansible_user: "a\\nb"', "ansible_user: a login name is wanted, not 'a\\nb'"),
        (
            "ansible_user: '{{ me }}'",
            "ansible_user: Jinja expressions are not evaluated; write the value out, not '{{ me }}'",
        ),
        ("ssh_allow_agent: maybe", "ssh_allow_agent: yes or no is wanted, not 'maybe'"),
        ("ssh_connect_retries: -1", "ssh_connect_retries: a whole number is wanted, not '-1'"),
        (
            "ssh_connect_retry_min_delay: nan",
            "ssh_connect_retry_min_delay: seconds from 0 to 3600 are wanted, not 'nan'",
        ),
        ("ssh_key: ''", "ssh_key: a file is wanted, not ''"),
        ("ssh_key: [a]", "ssh_key: one value is wanted, not ['a']"),
        ("ssh_file_transfer_protocol: ftp", "ssh_file_transfer_protocol: sftp or scp is wanted, not 'ftp'"),
        ("ssh_password: '{{ secret }}'", "ssh_password: Jinja expressions are not evaluated; write the value out"),
    ],
)
def test_connection_data_that_does_not_fit_is_named_with_its_place(
    complaint: Complaint, written: str, said: str
) -> None:
    assert complaint(f"all:\n  hosts:\n    a:\n      {written}\n") == f"fleet.yml:4: {said}"
