"""The page as a browser lays it out: on a telephone and on a desk, by day and by night."""

from __future__ import annotations

from pathlib import Path

import pytest

from edgeops.report import page
from tests.unit.report.chromium import Look, complaints, look
from tests.unit.report.past import EVIL, many, past, several_k

LONG = "a-name-without-any-place-to-break-it-" * 6


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> str:
    return page.render(past(tmp_path_factory.mktemp("plain"), simulated=True))


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Five arms, failures, gates, long and hostile names."""
    root = tmp_path_factory.mktemp("crowded")
    changes = {"model": LONG, "version": EVIL, "fingerprint": {"flags": {"x": LONG}, EVIL: LONG}}
    return page.render(past(root, several_k(), "e2e>=1", arms=("baseline", "k1", "k3", "k5", "k7"), **changes))


def fits(seen: Look, width: int) -> None:
    assert seen.console == ()
    assert seen.found["outside"] == []
    assert seen.found["width"] <= width
    assert seen.found["hits"] == []
    assert seen.found["smallest"] >= 9.5
    assert seen.found["drawings"] >= 4


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_and_can_be_read(plain: str, width: int, dark: bool, tmp_path: Path) -> None:
    seen = look(plain, width, tmp_path, dark=dark)
    fits(seen, width)
    assert seen.found["ground"] == ("rgb(18, 21, 25)" if dark else "rgb(247, 247, 245)")


@pytest.mark.parametrize("width", [390, 1440])
def test_the_answer_is_seen_without_scrolling(plain: str, width: int, tmp_path: Path) -> None:
    assert look(plain, width, tmp_path).found["headline"] < 600


@pytest.mark.parametrize("width", [390, 1440])
def test_five_arms_and_long_hostile_names_fit_too(crowded: str, width: int, tmp_path: Path) -> None:
    seen = look(crowded, width, tmp_path)
    fits(seen, width)
    assert seen.found["scripts"] == 0
    assert "alert(1)" in seen.found["text"]


def test_many_prompts_fit_too(tmp_path: Path) -> None:
    fits(look(page.render(past(tmp_path / "run", many(164))), 390, tmp_path), 390)


def test_the_page_as_a_file_has_nothing_to_complain_of(plain: str, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(plain, encoding="utf-8")
    assert complaints(path, tmp_path) == []


def test_what_chromium_complains_of_is_heard(plain: str, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(plain.replace("</main>", "<script>alert(1)</script></main>"), encoding="utf-8")
    assert any("Content Security Policy" in line for line in complaints(path, tmp_path))
