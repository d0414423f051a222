"""TARGET means exactly what it says; a slip is an error with the nearest name, never an empty success."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from edgeops.errors import ConfigurationError
from edgeops.inventory import Inventory, choose

Read = Callable[[str], Inventory]

FLEET = """
sparks: {hosts: {spark-01: , spark-02: }}
jetsons: {children: {orins: }}
orins: {hosts: {orin-01: , orin-02: }}
"""


@pytest.mark.parametrize(
    ("target", "names"),
    [
        (None, ["spark-01", "spark-02", "orin-01", "orin-02"]),
        ("all", ["spark-01", "spark-02", "orin-01", "orin-02"]),
        ("spark-02", ["spark-02"]),
        ("jetsons", ["orin-01", "orin-02"]),
        ("*-01", ["spark-01", "orin-01"]),
        ("ori*", ["orin-01", "orin-02"]),
        ("spark-0[2-9]", ["spark-02"]),
        ("orin-02,spark-01, orin-02", ["spark-01", "orin-02"]),
        ("sparks,spark-01", ["spark-01", "spark-02"]),
    ],
)
def test_a_target_names_these_hosts_once_in_the_files_order(read: Read, target: str | None, names: list[str]) -> None:
    assert [host.name for host in read(FLEET).select(target)] == names


@pytest.mark.parametrize("target", ["nope", "spark-01,nope", "Spark-01", "x*", "al", "spark-01 spark-02"])
def test_an_unknown_target_is_an_error_even_beside_a_known_one(read: Read, target: str) -> None:
    with pytest.raises(ConfigurationError, match="no host or group") as caught:
        read(FLEET).select(target)
    assert caught.value.exit_code == 2


def test_the_error_has_the_nearest_name_and_the_known_ones(read: Read) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(FLEET).select("sprak-01")
    assert (
        "Did you mean 'spark-01'? Known: sparks, jetsons, orins, spark-01, spark-02, orin-01, orin-02"
        in caught.value.message
    )


def test_the_known_ones_of_a_large_fleet_are_cut_short(read: Read) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read("all: {hosts: {'s-[001:200]': }}").select("zzz")
    assert caught.value.message.endswith("s-011, s-012, …")


@pytest.mark.parametrize("target", ["", ",", " , "])
def test_an_empty_target_is_not_everything(read: Read, target: str) -> None:
    with pytest.raises(ConfigurationError, match="empty TARGET"):
        read(FLEET).select(target)


def test_a_name_that_is_a_host_and_a_group_is_asked_back(read: Read) -> None:
    with pytest.raises(ConfigurationError, match="is a host and a group"):
        read("x: {hosts: {a: , b: }}\nall: {hosts: {x: }}").select("x")


@pytest.mark.parametrize(
    ("target", "user", "address", "port"),
    [
        ("root@127.0.0.1", "root", "127.0.0.1", None),
        ("me@box.example:2222", "me", "box.example", 2222),
        ("me@[fe80::1]:2222", "me", "fe80::1", 2222),
        ("me@[fe80::1]", "me", "fe80::1", None),
        ("me@fe80::1", "me", "fe80::1", None),
    ],
)
def test_user_at_address_needs_no_inventory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, user: str, address: str, port: int | None
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EDGEOPS_INVENTORY", raising=False)
    (host,) = choose(None, target)
    assert (host.name, host.user, host.address, host.port) == (target, user, address, port)
    assert set(host.origins.values()) == {"default"}


@pytest.mark.parametrize(
    "target",
    ["@a", "a@", "-x@a", "a@-x", "a@b:0", "a@b:99999", "a@b:x", "a@[b", "a@b@c", "a@b/c", "a@[::1]x", "a@b\tc"],
)
def test_what_only_looks_like_user_at_address_is_refused(target: str) -> None:
    with pytest.raises(ConfigurationError, match=r"not a (host|port)"):
        choose(None, target)


def test_named_and_direct_hosts_may_be_mixed(tmp_path: Path) -> None:
    (tmp_path / "fleet.yml").write_text(FLEET)
    hosts = choose(tmp_path / "fleet.yml", "root@10.0.0.9,orin-01,root@10.0.0.9")
    assert [host.name for host in hosts] == ["orin-01", "root@10.0.0.9"]
