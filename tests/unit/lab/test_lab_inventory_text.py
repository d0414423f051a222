"""The lab's inventory: hosts come and go, everything else stays as the user wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from edgeops.errors import ConfigurationError
from edgeops.lab.inventory_text import EMPTY, updated
from edgeops.lab.places import Workspace
from edgeops.lab.records import HostRecord

PLACE = Workspace(Path("/somewhere/with space"))


def host(name, address="127.0.77.1", kind="dgx-spark"):
    return HostRecord(name, kind, (), address, (), "", "ssh-ed25519 AAAA")


def groups(text):
    return yaml.safe_load(text)["all"]["children"]


def test_a_new_host_has_all_that_a_connection_needs():
    text = updated("", [host("spark-01")], PLACE)
    model = "/opt/lab/models/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4"
    assert groups(text)["lab"]["hosts"]["spark-01"] == {
        "ansible_host": "127.0.77.1",
        "ansible_port": 2222,
        "ansible_user": "nvidia",
        "ansible_ssh_private_key_file": "/somewhere/with space/.edgeops/lab/id_ed25519",
        "ssh_known_hosts_file": "/somewhere/with space/.edgeops/lab/known_hosts",
        "bind": "127.0.77.1",
        "model": model,
        "draft_model": f"{model}-DSpark",
    }
    assert "Simulated" in text


def test_hosts_are_in_the_group_of_their_kind():
    text = updated("", [host("a"), host("b", "127.0.77.2", "jetson-thor")], PLACE)
    assert groups(text)["dgx-spark"]["hosts"] == {"a": {}}
    assert groups(text)["jetson-thor"]["hosts"] == {"b": {}}


def test_the_same_hosts_give_the_same_text():
    records = [host("a"), host("b", "127.0.77.2")]
    text = updated("", records, PLACE)
    assert updated(text, records, PLACE) == text


def test_hosts_that_came_and_went_leave_no_trace():
    once = updated("", [host("a")], PLACE)
    more = updated(once, [host("a"), host("b", "127.0.77.2")], PLACE)
    assert updated(more, [host("a")], PLACE) == once


def test_without_hosts_the_groups_are_empty():
    text = updated(updated("", [host("a")], PLACE), [], PLACE)
    assert groups(text)["lab"]["hosts"] == groups(text)["dgx-spark"]["hosts"] == {}
    assert updated(text, [host("a")], PLACE).startswith(EMPTY.split("all:")[0])


EDITED = """\
# my lab
all:
    vars:
        port: 8001
    children:
        lab:
            vars: {k: 3}
            hosts:
                a:
                    ansible_host: 127.0.77.1
                    # five is better here
                    k: 5
                    extra_serve_args:
                        - --log-level
                        - |
                            warning

                # about b
                b: {ansible_host: 127.0.77.2}
        mine:
            hosts:
                a: {}
"""


def test_an_edited_and_indented_file_is_kept_line_by_line():
    text = updated(EDITED, [host("a"), host("b", "127.0.77.2"), host("c", "127.0.77.3")], PLACE)
    kept = [line for line in EDITED.splitlines() if line]
    assert [line for line in text.splitlines() if line in kept] == [*kept[: -0 or None]]
    assert groups(text)["lab"]["hosts"]["c"]["ansible_host"] == "127.0.77.3"
    assert groups(text)["lab"]["hosts"]["a"]["k"] == 5
    assert groups(text)["mine"] == {"hosts": {"a": {}}}


def test_removing_a_host_of_an_edited_file_removes_its_lines_only():
    text = updated(EDITED, [host("b", "127.0.77.2")], PLACE)
    assert "five is better" not in text
    assert "warning" not in text
    assert "# about b" in text
    assert list(groups(text)["lab"]["hosts"]) == ["b"]
    assert yaml.safe_load(text)["all"]["vars"] == {"port": 8001}


def test_a_new_address_replaces_the_old_one_in_the_hosts_own_lines():
    text = updated("", [host("a"), host("b", "127.0.77.2")], PLACE)
    text = updated(text, [host("a", "127.0.78.9"), host("b", "127.0.77.2")], PLACE)
    hosts = groups(text)["lab"]["hosts"]
    assert (hosts["a"]["ansible_host"], hosts["a"]["bind"]) == ("127.0.78.9", "127.0.78.9")
    assert hosts["b"]["ansible_host"] == "127.0.77.2"


@pytest.mark.parametrize(
    "text",
    [
        "all: [",
        "- a",
        "all:\n  hosts: {}\n",
        "all:\n  children:\n    lab: {}\n",
        "all:\n  children:\n    lab:\n      hosts: [a]\n",
        "all:\n  children:\n    lab:\n      hosts: {a: {}}\n",
        "all: {children: {lab: {hosts: {}}}}",
    ],
)
def test_a_file_of_another_shape_is_refused_with_a_remedy(text):
    with pytest.raises(ConfigurationError) as caught:
        updated(text, [host("b")], PLACE)
    assert "not in the lab's shape" in caught.value.message
    assert caught.value.remedy
