"""The lock on a host itself: who gets it, who keeps it, who has lost it."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from edgeops.locations import DEPLOYS
from edgeops.lock import Claim

ADA, BOB = Claim("deploy", "run-a", "ada", "desk", 7), Claim("deploy", "run-b", "bob", "lap", 9)


@pytest.fixture
def ask(tmp_path: Path):
    program = runpy.run_path(str(DEPLOYS / "on_host" / "lock.py"))

    def ask(verb: str, claim: Claim, *, stale_s: float = 45.0, steal: str | None = None) -> dict[str, Any]:
        path = str(tmp_path / "records" / "lock")
        plan = {"verb": verb, "path": path, "stale_s": stale_s, "entry": claim.entry, "steal": steal}
        answer: dict[str, Any] = json.loads(json.dumps(program["main"](plan)))
        return answer

    return ask


def test_the_second_is_told_who_the_first_is(ask) -> None:
    assert ask("acquire", ADA)["event"] == "locked"
    told = ask("acquire", BOB)
    assert (told["event"], told["holder"]["owner"], told["holder"]["pid"]) == ("held", "ada", 7)
    assert ask("release", ADA)["event"] == "free"
    assert ask("acquire", BOB)["event"] == "locked"


def test_a_holder_that_was_late_keeps_what_nobody_took(ask) -> None:
    ask("acquire", ADA)
    assert ask("show", BOB, stale_s=0)["event"] == "free"
    assert ask("renew", ADA, stale_s=0)["event"] == "locked"


@pytest.mark.parametrize("released", [False, True])
def test_a_holder_that_was_late_has_lost_what_another_took_be_it_free_again(
    ask, tmp_path: Path, released: bool
) -> None:
    ask("acquire", ADA)
    (tmp_path / "records" / "state.json").touch()  # with nothing in it the directory would go as it came
    assert ask("acquire", BOB, stale_s=0)["event"] == "locked"
    if released:
        ask("release", BOB)
    assert ask("renew", ADA)["event"] == "lost"
    assert ask("release", ADA)["event"] == "free"
    assert ask("show", ADA)["event"] == ("free" if released else "held")


def test_a_stolen_lock_is_lost_and_names_the_thief(ask) -> None:
    ask("acquire", ADA)
    assert ask("acquire", BOB, steal=ADA.token)["event"] == "locked"
    assert ask("renew", ADA)["holder"]["owner"] == "bob"


def test_the_same_run_goes_on_from_the_same_machine_only(ask) -> None:
    ask("acquire", ADA)
    assert ask("acquire", Claim("deploy", "run-a", "ada", "desk", 8))["event"] == "locked"
    assert ask("acquire", Claim("deploy", "run-a", "ada", "elsewhere", 8))["event"] == "held"


def test_who_removes_everything_has_not_lost_the_lock_and_nothing_comes_back(ask, tmp_path: Path) -> None:
    ask("acquire", ADA)
    (tmp_path / "records" / "lock").unlink()
    (tmp_path / "records").rmdir()
    assert ask("renew", ADA)["event"] == "free"
    assert not (tmp_path / "records").exists()
