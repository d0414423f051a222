"""Hosts survive what happens to a lab machine: repeated calls, killed processes, two checkouts."""

from __future__ import annotations

import os
import select
import signal
from pathlib import Path

import pytest
import yaml

from edgeops import lab as simulated
from edgeops.errors import ConfigurationError
from edgeops.lab.overlay import is_mounted, mounts_below, unmount
from edgeops.lab.places import HostPlaces, Workspace
from edgeops.lab.records import read_record

pytestmark = pytest.mark.lab


@pytest.fixture
def told():
    return []


@pytest.fixture
def place(tmp_path):
    """A workspace of its own, emptied at the end."""
    workspace = Workspace(tmp_path)
    yield workspace
    simulated.down(workspace, [], print)


def up(workspace, told, *words, faults=(), fresh=False):
    return simulated.up(workspace, simulated.host_orders(words, faults), told.append, fresh=fresh)


def record_of(workspace, name="box"):
    return read_record(HostPlaces(workspace.state, name).record)


def merged_of(workspace, name="box"):
    return HostPlaces(workspace.state, name).merged


def kill(workspace, name="box"):
    """What the lab machine does to a host when it loses its processes: mounts stay behind."""
    pid = record_of(workspace, name).process.pid
    handle = os.pidfd_open(pid)
    signal.pidfd_send_signal(handle, signal.SIGKILL)
    select.select([handle], [], [], 30)
    os.close(handle)


def test_a_second_up_changes_nothing(place, told):
    first = up(place, told, "box")
    before = record_of(place)
    told.clear()
    assert up(place, told, "box") == first
    assert (record_of(place), told) == (before, [])


def test_a_killed_host_boots_again_with_its_disk_and_its_key(place, told):
    up(place, told, "box")
    (merged_of(place) / "root/note").write_text("kept")
    before = record_of(place)
    kill(place)
    assert simulated.status(place).running == (False,)
    assert up(place, told, "box").running == (True,)
    assert (merged_of(place) / "root/note").read_text() == "kept"
    assert record_of(place).host_key == before.host_key
    assert record_of(place).process != before.process


def test_a_killed_host_can_be_removed(place, told):
    up(place, told, "box")
    kill(place)
    assert is_mounted(merged_of(place))
    simulated.down(place, ["box"], told.append)
    assert not place.state.exists()
    assert mounts_below(place.state) == []


def test_a_host_whose_disk_was_unmounted_boots_again(place, told):
    up(place, told, "box")
    (merged_of(place) / "root/note").write_text("kept")
    kill(place)
    unmount(merged_of(place))
    assert not is_mounted(merged_of(place))
    up(place, told, "box")
    assert (merged_of(place) / "root/note").read_text() == "kept"


def test_a_fresh_host_has_an_empty_disk_and_no_fault(place, told):
    up(place, told, "box", faults=["oem-name"])
    (merged_of(place) / "root/note").write_text("gone")
    up(place, told, "box", fresh=True)
    assert not (merged_of(place) / "root/note").exists()
    assert record_of(place).faults == ()


def test_a_running_host_does_not_become_another_kind_or_get_a_fault(place, told):
    up(place, told, "box")
    before = record_of(place)
    for words, faults in ((["box=jetson-thor"], ()), (["box"], ["no-cudart"])):
        with pytest.raises(ConfigurationError, match="box exists already, as dgx-spark with no faults"):
            up(place, told, *words, faults=faults)
    assert record_of(place) == before


def test_two_checkouts_have_hosts_of_the_same_name_at_once(tmp_path, told):
    first, second = Workspace(tmp_path / "a"), Workspace(tmp_path / "b")
    try:
        for workspace in (first, second):
            assert up(workspace, told, "box").running == (True,)
        assert record_of(first).address != record_of(second).address
        simulated.down(first, [], told.append)
        assert simulated.status(second).running == (True,)
    finally:
        for workspace in (first, second):
            simulated.down(workspace, [], told.append)


def test_what_was_written_into_the_inventory_stays(place, told):
    up(place, told, "box", "gone")
    text = place.inventory.read_text()
    place.inventory.write_text(text.replace("          bind:", "          k: 5   # mine\n          bind:", 1))
    simulated.down(place, ["gone"], told.append)
    up(place, told, "box", "new")
    assert "k: 5   # mine" in place.inventory.read_text()
    hosts = yaml.safe_load(place.inventory.read_text())["all"]["children"]["lab"]["hosts"]
    assert sorted(hosts) == ["box", "new"]
    assert hosts["box"]["k"] == 5


def test_an_inventory_that_was_broken_by_hand_stops_up_before_anything_is_made(place, told):
    place.lab.mkdir(parents=True)
    place.inventory.write_text("all: [\n")
    with pytest.raises(ConfigurationError, match="not in the lab's shape"):
        up(place, told, "box")
    assert not place.state.exists()
    place.inventory.unlink()


def test_a_forgotten_host_gets_its_new_address_into_the_inventory(place, told):
    up(place, told, "box", "other")
    lines = place.inventory.read_text().replace(record_of(place).address, "127.0.77.250")
    place.inventory.write_text(lines)
    up(place, told, "box")
    hosts = yaml.safe_load(place.inventory.read_text())["all"]["children"]["lab"]["hosts"]
    assert hosts["box"]["ansible_host"] == hosts["box"]["bind"] == record_of(place).address
    assert hosts["other"]["ansible_host"] == record_of(place, "other").address


def test_a_host_whose_record_was_lost_is_stopped_and_made_anew(place, told):
    up(place, told, "box")
    lost = record_of(place)
    HostPlaces(place.state, "box").record.write_text("{")
    assert simulated.status(place).hosts == ()
    assert up(place, told, "box").running == (True,)
    assert not lost.processes


def test_hosts_that_are_made_at_once_have_their_own_control_groups(place, told):
    up(place, told, "box,other,third")
    groups = {Path(f"/proc/{record_of(place, name).init.pid}/cgroup").read_text() for name in ("box", "other", "third")}
    assert len(groups) == 3
    assert len({record_of(place, name).address for name in ("box", "other", "third")}) == 3
