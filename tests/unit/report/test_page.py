"""The page: what it says first, what it shows beside it, and that nothing a server says becomes part of it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from edgeops.history import read_run
from edgeops.report import page
from edgeops.report.page import published
from tests.unit.bench.arms import PROMPTS, benchmark, failed
from tests.unit.history.kept import change_result, keep
from tests.unit.report.past import EVIL, NAME, STEADY, past, several_k

LIGHTNING = "nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4"
STYLE = (Path(__file__).resolve().parents[3] / "templates" / "report" / "style.css").read_text(encoding="utf-8")


class Tags(HTMLParser):
    """Every tag with its attributes, and the text outside of style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.styled = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += " " if self.tags and self.tags[-1][0] == "style" and not self.styled else f" {data}"

    def handle_endtag(self, tag: str) -> None:
        self.styled = self.styled or tag == "style"


def words(text: str) -> str:
    return " ".join(Tags(text).text.split())


@pytest.mark.parametrize(
    ("speed", "headline", "todo"),
    [
        (115.0, "Yes: 1.64× as fast.", "Keep speculative decoding on."),
        (60.0, "No: slower, 0.86× the speed.", "Turn speculative decoding off."),
        (70.7, "No useful gain: 1.01×.", "Turn speculative decoding off"),
    ],
)
def test_the_answer_comes_first(tmp_path: Path, speed: float, headline: str, todo: str) -> None:
    text = words(page.render(past(tmp_path, benchmark({"baseline": 70.0, "k3": speed}, STEADY))))
    assert headline in text
    assert todo in text
    assert "95 % sure between" in text
    assert text.index(headline) < text.index("tok/s") < text.index("Guards") < text.index("Fingerprints")


def test_an_inconclusive_answer_says_why(tmp_path: Path) -> None:
    requests = (*benchmark({"baseline": 70.0, "k3": 115.0}, STEADY), failed("k3", "x"))
    text = words(page.render(past(tmp_path, requests)))
    assert "Not sure: k=3 measured 1.64×." in text
    assert "Requests failed (baseline: 0 of 6, k3: 1 of 7)" in text
    assert "http_429" in text


def test_simulated_is_in_plain_sight_and_only_where_it_is_true(tmp_path: Path) -> None:
    real = page.render(past(tmp_path / "a"))
    lab = page.render(past(tmp_path / "b", simulated=True))
    assert "simulated" not in words(real).lower()
    assert words(lab).index("SIMULATED") < words(lab).index("Yes:")
    figures = lab.split("<figure>")[1:]
    assert len(figures) > 3
    assert all("simulated</span>" in figure.split("<svg")[0] for figure in figures)
    assert "(simulated)</title>" in lab


def test_every_chart_can_be_read_without_seeing_it(tmp_path: Path) -> None:
    text = page.render(past(tmp_path, several_k(), arms=("baseline", "k1", "k3", "k5", "k7")))
    tags = Tags(text).tags
    drawings = [attributes for tag, attributes in tags if tag == "svg"]
    identifiers = [attributes["id"] for _, attributes in tags if attributes.get("id")]
    assert len(drawings) >= 4
    assert len(identifiers) == len(set(identifiers))
    for drawing in drawings:
        assert drawing["role"] == "img"
        assert set(str(drawing["aria-labelledby"]).split()) <= set(identifiers)
    assert sum(1 for tag, _ in tags if tag == "details") == len(drawings)


def test_each_k_stands_beside_the_baseline(tmp_path: Path) -> None:
    text = words(page.render(past(tmp_path, several_k(), arms=("baseline", "k1", "k3", "k5", "k7"))))
    for arm in ("k=1", "k=3", "k=5", "k=7"):
        assert f"chat, {arm}:" in text


def test_nothing_that_a_server_says_becomes_part_of_the_page(tmp_path: Path) -> None:
    requests = benchmark({"baseline": 70.0, "k3": 115.0}, STEADY)
    bad = failed("k3", EVIL).model_copy(update={"detail": EVIL, "status": 500})
    evil = {"model": EVIL, "version": EVIL, "method": EVIL, "fingerprint": {EVIL: {EVIL: [EVIL]}}}
    text = page.render(past(tmp_path, (*requests, bad), **evil))
    found = Tags(text).tags
    assert not [tag for tag, _ in found if tag in ("script", "img", "iframe", "object", "embed", "form", "base")]
    assert not [name for _, attributes in found for name in attributes if name.startswith("on")]
    assert "\u202e" not in text
    assert "{{ 7*7 }}" in Tags(text).text


def test_the_page_asks_nobody_for_anything(tmp_path: Path) -> None:
    text = page.render(past(tmp_path, model="http://192.0.2.1/x"))
    for _, attributes in Tags(text).tags:
        for name in ("src", "href", "srcset", "data", "poster", "action"):
            assert str(attributes.get(name, "#")).startswith(("#", "data:,"))
    assert "url(" not in text
    assert "@import" not in text
    assert "default-src 'none'" in text


def test_the_vendors_figures_are_called_the_vendors(tmp_path: Path) -> None:
    spark = {"model": LIGHTNING, "fingerprint": {"gpu": "NVIDIA GB10"}}
    text = words(page.render(past(tmp_path / "a", **spark)))
    assert "Beside what NVIDIA published" in text
    assert text.count("published by NVIDIA") == 3
    assert "measured here" in text
    assert "scripted after this very table" not in text
    lab = words(page.render(past(tmp_path / "b", simulated=True, **spark)))
    assert "scripted after this very table" in lab
    assert "measured here (simulated)" in lab


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "another-model", "fingerprint": {"gpu": "NVIDIA GB10"}},
        {"model": LIGHTNING, "fingerprint": {"gpu": "NVIDIA L4"}},
        {"model": LIGHTNING, "fingerprint": {}},
        {"model": LIGHTNING, "method": "eagle3", "fingerprint": {"gpu": "NVIDIA GB10"}},
    ],
)
def test_the_vendors_figures_stand_only_where_they_belong(tmp_path: Path, changes) -> None:
    assert "published by NVIDIA" not in page.render(past(tmp_path, **changes))


def test_the_published_gains_are_the_published_rates() -> None:
    source = published.source_for(LIGHTNING, "dgx-spark", "dspark", 3)
    assert source is not None
    assert [round(row.gain, 3) for row in source.rows] == [1.729, 1.48, 1.446]
    assert published.source_for(LIGHTNING, "dgx-spark", "dspark", 5) is None
    assert published.source_for(LIGHTNING, "jetson-thor", "mtp", 3) is not None


def test_a_stored_figure_that_differs_is_told_above_everything(tmp_path: Path) -> None:
    run, _ = keep(tmp_path, NAME, benchmark({"baseline": 70.0, "k3": 115.0}, STEADY))
    change_result(run, "hosts", 0, "workloads", 0, "speedup", "k3", "e2e", value=9.0)
    text = words(page.render(read_run(run.directory)))
    assert text.index("does not agree with its records") < text.index("Yes: 1.64×")
    assert "stored is 9.0" in text


def test_a_run_without_a_single_answer_has_a_page(tmp_path: Path) -> None:
    requests = tuple(failed(arm, prompt) for arm in ("baseline", "k3") for prompt in PROMPTS)
    text = words(page.render(past(tmp_path, requests)))
    assert "Not known: no prompt was answered in both arms." in text
    assert "http_429" in text


def test_one_arm_has_no_gain_and_says_why(tmp_path: Path) -> None:
    requests = tuple(r for r in benchmark({"baseline": 70.0, "k3": 115.0}, STEADY) if r.step.arm == "baseline")
    text = words(page.render(past(tmp_path, requests, arms=("baseline",), one_arm_because="one arm only: it is plain")))
    assert "Nothing to compare. one arm only: it is plain" in text


def test_hosts_of_a_deploy_have_their_phases_and_their_errors(tmp_path: Path) -> None:
    run, entry = keep(tmp_path, "20261130-100000-deploy-00aa", benchmark({"baseline": 70.0, "k3": 115.0}, STEADY))
    phase = {"name": "probe", "status": "done", "seconds": 1.25, "detail": "all <there>"}
    good = {"host": "spark-01", "simulated": False, "outcome": "deployed", "changes": ["start trtedge"], "error": None}
    good |= {"phases": [phase], "release": "0.11.1-abc", "previous": None, "smoke": entry}
    error = {"phase": "ready", "message": "the server died", "remedy": "Look.", "log_tail": ["<b>boom</b>"]}
    bad = {**good, "host": "spark-02", "outcome": "rolled_back", "error": error, "smoke": None}
    run.write("deploy.json", {"schema": "edgeops.deploy/1", "run": run.name, "ok": False, "hosts": [good, bad]})
    text = words(page.render(read_run(run.directory)))
    assert "Yes: 1.64× as fast." in text
    assert "1 deployed, 1 rolled back" in text
    assert "probe done 1.2 all <there>" in text
    assert "the server died Look. <b>boom</b>" in text


def colours(scheme: str) -> dict[str, str]:
    block = STYLE.split("@media (prefers-color-scheme: dark)")[scheme == "dark"]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block.split("}")[0]))


def contrast(one: str, other: str) -> float:
    """WCAG 2.2, https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio"""

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_marks_stand_out_from_their_ground(scheme: str) -> None:
    found = colours(scheme)
    texts = [(ink, ground) for ink in ("ink", "muted") for ground in ("page", "card", "faint")]
    texts += [(tone, f"{tone}-ground") for tone in ("good", "bad", "open", "simulated")]
    texts += [("ink", f"{tone}-ground") for tone in ("good", "bad", "open")]
    texts += [("inside", f"arm-{number}") for number in range(6)]
    assert {
        pair: contrast(*(found[name] for name in pair))
        for pair in texts
        if contrast(*(found[name] for name in pair)) < 4.5
    } == {}
    marks = [(f"arm-{number}", "card") for number in range(6)]
    assert [pair for pair in marks if contrast(*(found[name] for name in pair)) < 3] == []
