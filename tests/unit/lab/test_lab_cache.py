"""What is built once is whole or built again."""

from __future__ import annotations

import os
import time

import pytest

from edgeops.lab.cache import FORGOTTEN_S, MARKER, Recipe, is_whole, obtain, prune


def fill(tree):
    (tree / "usr/bin").mkdir(parents=True)
    (tree / "usr/bin/python3").write_text("interpreter")
    (tree / "usr/bin/python").symlink_to("python3")


@pytest.fixture
def told():
    return []


def recipe(build=fill, ingredients=("one",)):
    return Recipe("system", ingredients, build, "building")


def test_a_second_caller_gets_what_the_first_one_built(tmp_path, told):
    tree = obtain(recipe(), tmp_path, told.append)
    assert obtain(recipe(), tmp_path, told.append) == tree
    assert told == ["building"]


def test_other_ingredients_are_built_beside(tmp_path, told):
    first = obtain(recipe(), tmp_path, told.append)
    second = obtain(recipe(ingredients=("two",)), tmp_path, told.append)
    assert first != second
    assert is_whole(first.parent)
    assert is_whole(second.parent)


def interrupted(tree):
    (tree / "half").write_text("")
    raise KeyboardInterrupt


def test_an_interrupted_build_leaves_nothing_and_is_done_again(tmp_path, told):
    with pytest.raises(KeyboardInterrupt):
        obtain(recipe(interrupted), tmp_path, told.append)
    assert list(tmp_path.iterdir()) == []
    assert (obtain(recipe(), tmp_path, told.append) / "usr/bin/python3").exists()


DAMAGE = {
    "a file is gone": lambda tree: (tree / "usr/bin/python3").unlink(),
    "a file is cut": lambda tree: (tree / "usr/bin/python3").write_text("int"),
    "a link is gone": lambda tree: (tree / "usr/bin/python").unlink(),
    "a file has other rights": lambda tree: (tree / "usr/bin/python3").chmod(0o600),
    "a file was added": lambda tree: (tree / "usr/bin/more").write_text(""),
    "the marker is gone": lambda tree: (tree.parent / MARKER).unlink(),
    "the marker is empty": lambda tree: (tree.parent / MARKER).write_text(""),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_tree_is_noticed_and_built_again(tmp_path, told, damage):
    tree = obtain(recipe(), tmp_path, told.append)
    DAMAGE[damage](tree)
    assert not is_whole(tree.parent)
    assert obtain(recipe(), tmp_path, told.append) == tree
    assert is_whole(tree.parent)
    assert (tree / "usr/bin/python3").read_text() == "interpreter"
    assert any("damaged" in line for line in told)


def test_pruning_removes_leftovers_and_the_forgotten_but_nothing_in_use(tmp_path, told):
    used, forgotten, recent = (obtain(recipe(ingredients=(name,)), tmp_path, told.append) for name in "abc")
    for tree in (used, forgotten):
        os.utime(tree.parent, (time.time() - FORGOTTEN_S - 60,) * 2)
    (tmp_path / "system-1.building-2" / "tree").mkdir(parents=True)
    replaced = tmp_path / "system-1.old-2"
    (replaced / "tree").mkdir(parents=True)
    prune(tmp_path, [used], mounted=True)
    assert sorted(tmp_path.iterdir()) == sorted([used.parent, recent.parent, replaced])
    prune(tmp_path, [used], mounted=False)
    assert sorted(tmp_path.iterdir()) == sorted([used.parent, recent.parent])
