"""Every known kind of host: its platform, and exactly the verdicts that are no pass."""

from __future__ import annotations

import time
from typing import Any

import pytest
import yaml

from edgeops.check import check_snapshots, read_snapshots
from edgeops.requirements import IDS, Case, judge_case
from edgeops.settings import Settings
from edgeops.snapshot.documents import read
from tests.data.build import DIRECTORY, texts
from tests.data.hosts import FIXTURES, Fixture

NAMES = sorted(path.stem for path in DIRECTORY.glob("*.json"))


def expected(name: str) -> dict[str, Any]:
    content = yaml.safe_load((DIRECTORY / f"{name}.expected.yml").read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


def test_there_is_a_snapshot_of_every_kind() -> None:
    assert len(NAMES) >= 24
    assert sorted(fixture.name for fixture in FIXTURES) == NAMES


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)
def test_the_files_are_what_the_builder_writes(fixture: Fixture) -> None:
    for path, text in texts(fixture).items():
        assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("name", NAMES)
def test_a_host_is_recognised_and_judged(name: str) -> None:
    wanted = expected(name)
    case = Case(read(DIRECTORY / f"{name}.json"), Settings(**wanted.get("settings", {})))
    verdicts = judge_case(case)
    assert case.platform.name == wanted["platform"]
    assert {v.id: v.status for v in verdicts if v.status != "pass"} == wanted["not_green"]


@pytest.mark.parametrize("name", NAMES)
def test_every_verdict_is_told_in_full(name: str) -> None:
    for verdict in judge_case(Case(read(DIRECTORY / f"{name}.json"), Settings())):
        assert verdict.id in IDS
        assert verdict.found
        assert verdict.why.endswith(".")
        assert verdict.remedy or verdict.status in ("pass", "skip", "warn")
        assert "\n" not in f"{verdict.found}{verdict.wanted}{verdict.why}{verdict.remedy}"


def test_a_hundred_snapshots_are_judged_within_a_second() -> None:
    snapshots = (read_snapshots([DIRECTORY]) * 3)[:100]
    assert len(snapshots) == 100
    began = time.process_time()
    check_snapshots(snapshots, lambda _: Settings())
    assert time.process_time() - began < 1.0
