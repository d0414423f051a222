"""One setting changed in a reader's own text: the rest stays letter by letter."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeops.errors import ConfigurationError
from edgeops.inventory import open_inventory
from edgeops.inventory.editing import edited, lines
from edgeops.inventory.writing import write_settings

FLEET = """\
# Our machines.
all:
  vars: {ansible_user: nvidia}   # who logs in
sparks:
  vars:
    k: 3  # as published
  hosts:
    spark-01:
      ansible_host: 192.0.2.11  # desk
      k: 3          # measured in June
      # the end of spark-01

    spark-02: {ansible_host: 192.0.2.12}   # lab
    spark-03:   # nothing said
    spark-04: {ansible_host: 192.0.2.14, k: 1,}
    spark-[10:12]:
      port: 8001
    last:
      ansible_host: 192.0.2.99
"""


def changed_lines(before: str, after: str) -> tuple[list[str], list[str]]:
    """Lines that went and lines that came."""
    old, new = before.splitlines(), after.splitlines()
    return [line for line in old if line not in new], [line for line in new if line not in old]


@pytest.mark.parametrize(
    ("host", "went", "came"),
    [
        ("spark-01", "      k: 3          # measured in June", "      k: 5          # measured in June"),
        (
            "spark-02",
            "    spark-02: {ansible_host: 192.0.2.12}   # lab",
            "    spark-02: {ansible_host: 192.0.2.12, k: 5}   # lab",
        ),
        (
            "spark-04",
            "    spark-04: {ansible_host: 192.0.2.14, k: 1,}",
            "    spark-04: {ansible_host: 192.0.2.14, k: 5,}",
        ),
    ],
)
def test_a_value_changes_in_its_place_and_its_comment_stays(host: str, went: str, came: str) -> None:
    assert changed_lines(FLEET, edited(FLEET, host, {"k": 5})) == ([went], [came])


def test_a_line_is_added_where_there_was_none() -> None:
    after = edited(FLEET, "spark-03", {"k": 5}).splitlines()
    place = after.index("    spark-03:   # nothing said")
    assert after[place + 1] == "      k: 5"
    assert edited(FLEET, "last", {"method": "off"}).endswith("      ansible_host: 192.0.2.99\n      method: off\n")


def test_a_host_out_of_a_range_gets_a_line_of_its_own_behind_it() -> None:
    after = edited(FLEET, "spark-11", {"k": 5}).splitlines()
    assert after[after.index("      port: 8001") + 1] == "    spark-11: {k: 5}"


def test_several_settings_at_once() -> None:
    after = edited(FLEET, "spark-01", {"method": "mtp", "k": 2, "draft_model": None})
    assert changed_lines(FLEET, after) == (
        ["      k: 3          # measured in June"],
        ["      k: 2          # measured in June", "      method: mtp", "      draft_model: null"],
    )


def test_where_a_host_stands_twice_the_place_that_wins_is_changed() -> None:
    text = "one:\n  hosts:\n    a: {k: 1}\ntwo:\n  hosts:\n    a: {k: 2}\nthree:\n  hosts:\n    a:\n"
    assert edited(text, "a", {"k": 5}) == text.replace("k: 2", "k: 5")


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("all:\n  hosts: {a: {}}\n", "all:\n  hosts: {a: {k: 5}}\n"),
        ("all:\n  hosts: {a: , b: }\n", "all:\n  hosts: {a: {k: 5} , b: }\n"),
        ("all:\n  hosts:\n    a: ~\n", "all:\n  hosts:\n    a: {k: 5}\n"),
        ("all:\n  hosts:\n    a:", "all:\n  hosts:\n    a:\n      k: 5"),
        ("all:\r\n  hosts:\r\n    a:\r\n", "all:\r\n  hosts:\r\n    a:\r\n      k: 5\r\n"),
        ("all: {hosts: {'a': {port: 8001}}}", "all: {hosts: {'a': {port: 8001, k: 5}}}"),
        (
            "all:\n  hosts:\n    a:\n      extra_serve_args:\n        - x\n        - y # z\n\n# end\n",
            "all:\n  hosts:\n    a:\n      extra_serve_args:\n        - x\n        - y # z\n      k: 5\n\n# end\n",
        ),
    ],
)
def test_every_way_to_write_a_host_is_understood(text: str, after: str) -> None:
    assert edited(text, "a", {"k": 5}) == after


def test_a_file_is_changed_as_meant_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "fleet.yml"
    path.write_text(FLEET)
    path.chmod(0o640)
    hosts = {host.name: host for host in write_settings(path, "spark-11", {"k": 7})}
    assert (hosts["spark-11"].settings.k, hosts["spark-10"].settings.k, hosts["spark-01"].settings.k) == (7, 3, 3)
    assert path.stat().st_mode & 0o777 == 0o640
    assert {host.name: host.settings.k for host in open_inventory(path).hosts}["spark-11"] == 7
    assert [file.name for file in tmp_path.iterdir()] == ["fleet.yml"]


def test_json_stays_json(tmp_path: Path) -> None:
    path = tmp_path / "fleet.json"
    path.write_text('{"all": {"hosts": {"a": {"port": 8001}}}}')
    write_settings(path, "a", {"method": "off"})
    assert path.read_text() == '{"all": {"hosts": {"a": {"port": 8001, "method": "off"}}}}'


def test_a_program_is_not_written_into(tmp_path: Path) -> None:
    path = tmp_path / "fleet.py"
    path.write_text("hosts = ['a']\n")
    with pytest.raises(ConfigurationError, match="is a program"):
        write_settings(path, "a", {"k": 5})
    assert path.read_text() == "hosts = ['a']\n"


def test_a_result_that_would_mean_something_else_never_reaches_the_file(tmp_path: Path) -> None:
    path = tmp_path / "fleet.yml"
    path.write_text("all:\n  hosts:\n    a: {k: 3}\n")
    with pytest.raises(ConfigurationError):
        write_settings(path, "a", {"k": 99})
    assert path.read_text() == "all:\n  hosts:\n    a: {k: 3}\n"
    assert [file.name for file in tmp_path.iterdir()] == ["fleet.yml"]


NAMES = st.sampled_from(["a", "b", "c-1", "d"])
BODIES = st.sampled_from(
    ["", " {}", " {k: 3}", " {port: 8001}  # why", "\n      k: 3 # c", "\n      port: 8001\n      # c"]
)


@settings(deadline=None, max_examples=60)
@given(st.dictionaries(NAMES, BODIES, min_size=1), st.integers(1, 64), st.data())
def test_whatever_the_shape_only_the_one_host_changes(bodies: dict[str, str], k: int, data: st.DataObject) -> None:
    host = data.draw(st.sampled_from(sorted(bodies)))
    text = "all:\n  hosts:\n" + "".join(f"    {name}:{body}\n" for name, body in bodies.items())
    import yaml

    before, after = yaml.safe_load(text)["all"]["hosts"], yaml.safe_load(edited(text, host, {"k": k}))["all"]["hosts"]
    assert after == before | {host: (before[host] or {}) | {"k": k}}


def test_the_lines_to_write_are_those_that_are_written() -> None:
    assert lines({"method": "off", "k": 5, "draft_model": None}) == ["method: off", "k: 5", "draft_model: null"]
