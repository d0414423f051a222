"""docs/troubleshooting.md is what its generator makes of today's requirements, and the generator tells no tales."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from edgeops.requirements import IDS

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("troubleshooting", DOCS / "troubleshooting.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_requirements_say_today(generator: ModuleType) -> None:
    """When this fails: python docs/troubleshooting.py"""
    assert (DOCS / "troubleshooting.md").read_text(encoding="utf-8") == generator.page()


def test_every_requirement_has_its_place_with_a_complaint_of_its_own(generator: ModuleType) -> None:
    _, reference = generator.page().split("## Every requirement")
    for identifier in IDS:
        part = reference.split(f"### {identifier}\n")[1].split("###")[0]
        assert "\n* fail: `" in part or "\n* warn: `" in part


def test_a_message_that_edgeops_does_not_say_is_not_put_on_the_page(generator: ModuleType) -> None:
    invented = {"command": "edgeops check", "message": "all is lost", "file": "edgeops/check.py"}
    with pytest.raises(ValueError, match="does not say"):
        list(generator._quoted(invented))


def test_a_complaint_that_no_requirement_makes_is_not_put_on_the_page(generator: ModuleType) -> None:
    with pytest.raises(ValueError, match="does not complain"):
        generator.verdict_of({"requirement": "host.disk", "snapshot": "spark-fe"})


def test_every_problem_has_a_cause_and_something_that_edgeops_says() -> None:
    source = yaml.safe_load((DOCS / "troubleshooting.yml").read_text(encoding="utf-8"))
    problems = [problem for chapter in source["chapters"] for problem in chapter["problems"]]
    assert len(problems) >= 20
    assert all(problem["symptoms"] and problem["cause"] and problem["says"] for problem in problems)
