"""Settings that are fine each by itself, and refused together, or by this edgeops."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from edgeops.desired import Checkpoint, Machine, serve_arguments
from edgeops.inventory import Inventory
from edgeops.inventory.crosschecks import OWN_FLAGS
from edgeops.settings import Settings

Read = Callable[[str], Inventory]


def fleet(written: str) -> str:
    return f"all:\n  hosts:\n    a:\n      {written}\n"


@pytest.mark.parametrize("bind", ["0.0.0.0", "192.168.1.5", "'::'", "spark-01.local"])
def test_a_bind_outside_loopback_needs_a_key(complaint: Callable[[str], str], bind: str) -> None:
    bare = bind.strip("'")
    assert complaint(fleet(f"bind: {bind}")).startswith(f"fleet.yml:4: bind: {bare} is open to the network")


@pytest.mark.parametrize("bind", ["127.0.0.1", "127.0.1.11", "'::1'", "localhost"])
def test_a_bind_to_loopback_needs_none(read: Read, bind: str) -> None:
    assert read(fleet(f"bind: {bind}")).hosts[0].settings.loopback


def test_a_bind_outside_loopback_with_a_key_is_taken(read: Read) -> None:
    text = "all: {vars: {api_key_file: key}, hosts: {a: {bind: 0.0.0.0}}}"
    assert read(text).hosts[0].settings.bind == "0.0.0.0"


@pytest.mark.parametrize("bind", ["1.2.3", "256.1.1.1", "-x", "a b", "a;b"])
def test_a_bind_that_is_no_address_is_refused(complaint: Callable[[str], str], bind: str) -> None:
    assert complaint(fleet(f"bind: {bind}")).endswith(f"must be an IP address or a host name, not {bind!r}")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("[--host, 0.0.0.0]", "--host, is set by edgeops itself; use its setting"),
        ("[--port=9]", "--port, is set by edgeops itself; use its setting"),
        ("[--api-key, secret]", "--api-key, is set by edgeops itself; use its setting"),
        (
            "[--spec, x]",
            "--spec, which the server takes for --speculative-config, is set by edgeops itself; use its setting",
        ),
        (
            "[--max-kv=1]",
            "--max-kv, which the server takes for --max-kv-cache-capacity, is set by edgeops itself; use its setting",
        ),
        ("[--clear-engine-cache]", "--clear-engine-cache would throw away every built engine at each start"),
        ("[debug]", "the first word must be a flag, not 'debug'"),
        (
            "['--log-level debug']",
            "one word an item, so '--log-level' and its value are two items, not '--log-level debug'",
        ),
    ],
)
def test_a_flag_that_edgeops_sets_is_refused_however_it_is_spelled(
    complaint: Callable[[str], str], arguments: str, said: str
) -> None:
    assert complaint(fleet(f"extra_serve_args: {arguments}")) == f"fleet.yml:4: extra_serve_args: {said}"


def test_every_flag_that_edgeops_puts_on_the_command_line_is_protected() -> None:
    words = serve_arguments(
        Settings(), Machine("3.12", "10.16.1.11", "121"), Checkpoint("m", "/m"), Checkpoint("d", "/d")
    )
    assert {word for word in words if word.startswith("--")} == set(OWN_FLAGS) - {"--api-key"}


def test_the_end_of_options_is_refused(complaint: Callable[[str], str]) -> None:
    assert "--, which the server takes for" in complaint(fleet("extra_serve_args: ['--', x]"))


@pytest.mark.parametrize(
    "arguments", ["[--log-level, debug]", "[--queue-timeout=5]", "['--reasoning-parser=a b']", "[]"]
)
def test_other_flags_are_taken(read: Read, arguments: str) -> None:
    assert str(list(read(fleet(f"extra_serve_args: {arguments}")).hosts[0].settings.extra_serve_args)).count("--") <= 1


def test_an_unknown_version_names_the_known_ones(complaint: Callable[[str], str]) -> None:
    said = complaint(fleet("edgellm_version: 1.10"))
    assert said.startswith("fleet.yml:4: edgellm_version: edgellm_version '1.10' is not known")
    assert "0.11.1" in said


@pytest.mark.parametrize("version", ["latest", "'>=10'", "'10.*.1'"])
def test_a_tensorrt_version_that_is_none_is_refused(complaint: Callable[[str], str], version: str) -> None:
    assert 'must be a version such as 10.16.1.11, or "10.*"' in complaint(fleet(f"tensorrt_version: {version}"))


@pytest.mark.parametrize("identifier", ["updates", "host.", "Host.Updates", "host.*", "host.updates "])
def test_what_is_accepted_must_look_like_a_requirement(complaint: Callable[[str], str], identifier: str) -> None:
    assert complaint(fleet(f'accept: ["{identifier}"]')).endswith(f"not {identifier!r}")
