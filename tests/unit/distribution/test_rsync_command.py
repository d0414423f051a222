"""How rsync is told to connect: as the inventory says, and never with a question."""

from __future__ import annotations

from pathlib import Path

import gevent
import pytest

from edgeops.distribution.parcel import parcel_of
from edgeops.distribution.rsync import Transfer, command, ssh
from edgeops.distribution.wheels import Platform
from edgeops.engine import Access
from edgeops.errors import EdgeopsError
from edgeops.inventory import Host

HOST = Host(
    "spark-01",
    "192.0.2.11",
    port=2222,
    ssh={"ssh_key": "/keys/my key", "ssh_known_hosts_file": "/known", "ssh_config_file": "/config"},
)


def test_key_port_user_known_hosts_and_configuration_are_the_inventorys() -> None:
    words = ssh(HOST, "nvidia", Access())
    assert words[:9] == ["ssh", "-l", "nvidia", "-p", "2222", "-F", "/config", "-i", "/keys/my key"]
    assert "UserKnownHostsFile=/known" in words


def test_an_unknown_key_is_refused_unless_new_ones_were_accepted() -> None:
    assert "StrictHostKeyChecking=yes" in ssh(HOST, "nvidia", Access())
    assert "StrictHostKeyChecking=accept-new" in ssh(HOST, "nvidia", Access(accept_new=True))


def test_a_password_in_the_inventory_is_refused_with_a_remedy() -> None:
    with pytest.raises(EdgeopsError, match="password") as refused:
        ssh(Host("h", "192.0.2.1", ssh={"ssh_password": "secret"}), "nvidia", Access())
    assert "secret" not in refused.value.message
    assert "agent" in refused.value.remedy


def test_an_address_with_colons_is_in_brackets() -> None:
    transfer = Transfer(Path("/src"), Host("h", "2001:db8::1"), "nvidia", "/var/lib/x.incoming")
    assert command(transfer, Access())[-2:] == ["/src/", "[2001:db8::1]:/var/lib/x.incoming/"]


def test_the_second_try_compares_contents() -> None:
    transfer = Transfer(Path("/src"), HOST, "nvidia", "/x", thorough=True)
    assert "--checksum" in command(transfer, Access())
    assert "--checksum" not in command(Transfer(Path("/src"), HOST, "nvidia", "/x"), Access())


def test_pip_may_take_every_wheel_that_the_hosts_glibc_can_load_and_no_newer() -> None:
    words = Platform("aarch64", "2.39", "3.12").pip_arguments
    assert "--python-version=3.12" in words
    assert "--platform=manylinux_2_39_aarch64" in words
    assert "--platform=manylinux_2_17_aarch64" in words
    assert "--platform=manylinux_2_40_aarch64" not in words


def test_a_parcel_holds_every_file_below_but_hidden_ones(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a").write_text("a")
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "b").write_text("b")
    parcel = parcel_of(tmp_path)
    assert (set(parcel.files), parcel.size) == ({"sub/a"}, 1)


def test_other_hosts_go_on_while_a_parcel_is_hashed(tmp_path: Path) -> None:
    (tmp_path / "weights").write_bytes(b"w" * 1_000_000)
    order: list[str] = []

    def hash_it() -> None:
        parcel_of(tmp_path)
        order.append("hashed")

    gevent.joinall([gevent.spawn(hash_it), gevent.spawn(order.append, "another host")], raise_error=True)
    assert order == ["another host", "hashed"]


def test_an_empty_directory_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(EdgeopsError, match="no file"):
        parcel_of(tmp_path)
