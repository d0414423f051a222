"""pyinfra's Python inventories: executed by pyinfra's reader, then held to the same rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyinfra.context import ctx_state

from edgeops.inventory import Inventory

Read = Callable[..., Inventory]
Complaint = Callable[..., str]

FLEET = """
print("said while loading")
sparks = (
    ["spark-01", ("spark-02", {"ssh_port": 2222, "k": 5, "ssh_known_hosts_file": "kh", "accept": ["host.updates"]})],
    {"method": False, "ssh_user": "nvidia", "team": "shops"},
)
"""


def test_hosts_groups_and_values_are_read(read: Read, tmp_path: Path) -> None:
    first, second = read(FLEET, "fleet.py").hosts
    assert (first.name, first.user, first.port, first.settings.method, first.settings.k) == (
        "spark-01",
        "nvidia",
        None,
        "off",
        3,
    )
    assert (second.port, second.settings.k, second.settings.accept) == (2222, 5, ("host.updates",))
    assert second.ssh == {"ssh_known_hosts_file": str(tmp_path / "kh")}
    assert second.foreign == {"team": "shops"}
    assert {"all", "sparks"} <= set(second.groups)
    assert second.origins["k"] == str(tmp_path / "fleet.py")


def test_group_data_beside_the_file_is_read(read: Read, tmp_path: Path) -> None:
    (tmp_path / "group_data").mkdir()
    (tmp_path / "group_data" / "sparks.py").write_text("k = 7\n")
    assert read('sparks = ["a"]\n', "fleet.py").hosts[0].settings.k == 7


def test_what_the_file_prints_is_not_part_of_the_answer(read: Read, capsys: pytest.CaptureFixture[str]) -> None:
    read(FLEET, "fleet.py")
    assert capsys.readouterr().out == ""


def test_the_state_that_was_current_is_current_again(read: Read, complaint: Complaint) -> None:
    before = ctx_state.get()
    read(FLEET, "fleet.py")
    complaint("raise ValueError('x')\n", "bad.py")
    assert ctx_state.get() is before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\nraise ValueError('no such shelf')\n", "fleet.py:2: ValueError: no such shelf"),
        ("hosts = [\n", "fleet.py:1: '[' was never closed"),
        ("import sys\nsys.exit(3)\n", "fleet.py:2: SystemExit: 3"),
        (
            "import no_such_module_anywhere\n",
            "fleet.py:1: ModuleNotFoundError: No module named 'no_such_module_anywhere'",
        ),
        ('hosts = ["@local"]\n', "fleet.py: '@local' is no host that SSH can reach"),
        ('hosts = ["@docker/ubuntu"]\n', "fleet.py: '@docker/ubuntu' is no host that SSH can reach"),
        ('hosts = ["-oProxyCommand=x"]\n', "fleet.py: '-oProxyCommand=x' is no host that SSH can reach"),
        ("hosts = 5\n", "fleet.py: no hosts in it"),
        ('hosts = [("a", {"k": "x"})]\n', "fleet.py: k: must be a valid integer, not 'x'"),
        ('hosts = [("a", {"model": 7})]\n', "fleet.py: model: must be a valid string, not 7"),
        (
            'hosts = [("a", {"max_inpt_len": 7})]\n',
            "fleet.py: unknown setting 'max_inpt_len'. Did you mean 'max_input_len'?",
        ),
        ('hosts = [("a", {"ssh_port": {}})]\n', "fleet.py: ssh_port: one value is wanted, not {}"),
    ],
)
def test_a_mistake_in_the_program_is_a_sentence(complaint: Complaint, text: str, said: str) -> None:
    assert complaint(text, "fleet.py") == said
