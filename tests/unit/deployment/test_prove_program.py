"""The program that proves a release on its host: one whose files are gone is found out before anything is switched."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest

from edgeops.locations import DEPLOYS


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A package called ``wheelie`` as pip installs one, and the list of a release that has it."""
    site = tmp_path / "site"
    (site / "wheelie-1.0.dist-info").mkdir(parents=True)
    (site / "wheelie").mkdir()
    (site / "wheelie" / "__init__.py").write_text("x = 1\n")
    (site / "wheelie-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: wheelie\nVersion: 1.0\n")
    lines = [
        "wheelie/__init__.py,sha256=abc,6",
        "wheelie/__pycache__/x.pyc,sha256=abc,9",
        "wheelie-1.0.dist-info/RECORD,,",
    ]
    (site / "wheelie-1.0.dist-info" / "RECORD").write_text("\n".join(lines) + "\n")
    (tmp_path / "closure.json").write_text(json.dumps({"wheelie": "1.0"}))
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    return site


def answer(release: Path) -> dict[str, str]:
    program = runpy.run_path(str(DEPLOYS / "on_host" / "prove.py"))
    found: dict[str, str] = program["answer"]({"packages": str(release.parent / "closure.json")})
    return found


def test_a_whole_release_gets_to_the_next_question(release: Path) -> None:
    assert answer(release)["step"] == "import tensorrt"


@pytest.mark.parametrize("damage", ["gone", "cut"])
def test_a_file_that_is_gone_or_cut_is_named(release: Path, damage: str) -> None:
    path = release / "wheelie" / "__init__.py"
    path.unlink() if damage == "gone" else path.write_text("")
    assert answer(release)["step"] == "find all its files"
    assert "NotWhole: wheelie/__init__.py" in answer(release)["error"]


def test_a_package_that_is_gone_is_named(release: Path) -> None:
    for path in (release / "wheelie-1.0.dist-info").iterdir():
        path.unlink()
    (release / "wheelie-1.0.dist-info").rmdir()
    assert "wheelie" in answer(release)["error"]
