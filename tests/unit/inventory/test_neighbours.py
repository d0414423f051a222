"""What Ansible would read beside an inventory is not passed over in silence when it would have counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from edgeops.inventory import Inventory

FLEET = "sparks: {hosts: {spark-01: }}\n"


def write(base: Path, name: str, text: str) -> None:
    path = base / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(
    "name",
    [
        "group_vars/all.yml",
        "group_vars/sparks",
        "group_vars/sparks/one.yaml",
        "host_vars/spark-01.yml",
        "host_vars/spark-01.json",
    ],
)
@pytest.mark.parametrize("key", ["model", "ansible_user"])
def test_one_of_our_keys_beside_the_inventory_is_refused_with_its_place(
    complaint: Callable[[str], str], tmp_path: Path, name: str, key: str
) -> None:
    write(tmp_path, name, f"\n{key}: x\n")
    assert complaint(FLEET) == f"{name}:2: {key} is set here, and {name.partition('/')[0]} is not read"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("group_vars/all.yml", "database: x\n"),
        ("group_vars/cars.yml", "model: x\n"),
        ("group_vars/all/vault.yml", "$ANSIBLE_VAULT;1.1;AES256\n6638\n"),
        ("group_vars/all/README.md", "model: x\n"),
        ("group_vars/all.yml", "model: [\n"),
        ("host_vars/spark-01.yml", ""),
    ],
)
def test_what_does_not_concern_edgeops_is_left_alone(
    read: Callable[[str], Inventory], tmp_path: Path, name: str, text: str
) -> None:
    write(tmp_path, name, text)
    assert [host.name for host in read(FLEET).hosts] == ["spark-01"]
