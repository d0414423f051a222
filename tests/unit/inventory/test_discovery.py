"""Which inventory is read: the option, the variable, the directory, a lab's, in this order, and never two at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from edgeops.errors import ConfigurationError
from edgeops.inventory import open_inventory
from edgeops.locations import LAB_INVENTORY


@pytest.fixture(autouse=True)
def in_an_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EDGEOPS_INVENTORY", raising=False)


def write(path: str | Path, host: str) -> Path:
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"all: {{hosts: {{{host}: }}}}\n")
    return file


def found(option: Path | None = None) -> str:
    return open_inventory(option).hosts[0].name


def test_the_nearest_wins_option_variable_directory_lab(monkeypatch: pytest.MonkeyPatch) -> None:
    write(LAB_INVENTORY, "from-lab")
    assert found() == "from-lab"
    write("inventories/fleet.yml", "from-directory")
    assert found() == "from-directory"
    monkeypatch.setenv("EDGEOPS_INVENTORY", str(write("elsewhere/v.yml", "from-variable")))
    assert found() == "from-variable"
    assert found(write("o.yaml", "from-option")) == "from-option"


def test_nothing_at_all_says_three_ways_to_go_on() -> None:
    with pytest.raises(ConfigurationError, match="no inventory") as caught:
        open_inventory(None)
    assert all(way in caught.value.remedy for way in ("edgeops init", "edgeops lab up", "user@address"))


def test_the_example_and_hidden_files_are_no_inventories() -> None:
    for name in ("example.yml", ".hidden.yml", "notes.md", "_draft.py"):
        write(f"inventories/{name}", "wrong")
    write("inventories/fleet.yml", "right")
    assert found() == "right"


def test_several_inventories_are_refused_with_their_names_never_merged() -> None:
    write("inventories/shops.yml", "a")
    write("inventories/cars.py", "b")
    with pytest.raises(ConfigurationError, match=r"several inventories in inventories: cars\.py, shops\.yml") as caught:
        open_inventory(None)
    assert "-i FILE" in caught.value.remedy


def test_a_directory_given_stands_for_the_one_inventory_in_it() -> None:
    write("fleets/fleet.yml", "inside")
    assert found(Path("fleets")) == "inside"


@pytest.mark.parametrize(
    ("option", "said"),
    [("missing.yml", "no such file"), ("empty", "no inventory"), ("/dev/null", "not a regular file")],
)
def test_an_option_that_names_nothing_readable_is_said(option: str, said: str) -> None:
    Path("empty").mkdir()
    with pytest.raises(ConfigurationError, match=said):
        open_inventory(Path(option))


def test_a_variable_that_names_nothing_is_not_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    write("inventories/fleet.yml", "other")
    monkeypatch.setenv("EDGEOPS_INVENTORY", "gone.yml")
    with pytest.raises(ConfigurationError, match=r"\$EDGEOPS_INVENTORY: no such file: gone\.yml"):
        open_inventory(None)
