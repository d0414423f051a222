from __future__ import annotations

import pytest

from edgeops.deployment.phases import PhaseLog, PhaseNotes
from edgeops.preparation import waiting
from edgeops.preparation.apt import Simulation, Step
from edgeops.preparation.causes import PackagesLocked, apt_error, reason, remedy
from edgeops.preparation.mending import Mending
from edgeops.preparation.report import HostReport, Trouble, exit_code
from edgeops.preparation.source import Missing
from edgeops.preparation.words import hold_changes, package_changes
from edgeops.snapshot import Answer

LOCKED = "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1234 (unattended-upgr)\n"
UNMET = """\
The following packages have unmet dependencies:
 tensorrt : Depends: libnvinfer10 (= 10.13.2.6-1+cuda12.9) but 10.13.2.6-1+cuda13.0 is to be installed
"""


@pytest.mark.parametrize(
    ("err", "words"),
    [
        (LOCKED, "wait until"),
        ("E: Held packages were changed and -y was used without --allow-change-held-packages.\n", "apt-mark"),
        ("E: dpkg was interrupted, you must manually run 'sudo dpkg --configure -a'\n", "dpkg --configure -a"),
        ("E: Release file for https://ports.example/InRelease is not valid yet (invalid for another 9d)\n", "clock"),
        ("E: You don't have enough free space in /var/cache/apt/archives/.\n", "make room"),
    ],
)
def test_what_apt_says_has_a_remedy(err: str, words: str) -> None:
    assert words in remedy(err)


def test_the_reason_holds_apts_errors_and_the_dependencies_that_cannot_be_met() -> None:
    said = reason(Answer(100, UNMET, "W: something\nE: Unable to correct problems, you have held broken packages.\n"))
    assert said.startswith("Unable to correct problems")
    assert "tensorrt : Depends: libnvinfer10 (= 10.13.2.6-1+cuda12.9)" in said
    assert "\n" not in said


def test_a_silent_failure_still_says_how_it_ended() -> None:
    assert reason(Answer(134)) == "ended with 134"


def test_packages_that_go_the_same_way_are_one_sentence() -> None:
    steps = (Step("a", "", "1"), Step("b", "2", "1"), Step("c", "", "1"))
    assert package_changes(Simulation(steps, ())) == ["install a, c 1", "change b from 2 to 1"]


def test_names_on_hold_are_told_once() -> None:
    assert hold_changes(Mending(packages=("a=1", "b=1"), holds=("a", "b"))) == [
        "put the 2 packages of TensorRT on hold"
    ]
    assert hold_changes(Mending(holds=("a", "b"))) == ["put on hold: a, b"]
    assert hold_changes(Mending()) == []


def test_what_is_missing_names_what_there_is() -> None:
    missing = Missing(("libnvinfer10=9", "libnvinfer-bin=9"), ("10.2", "10.1"))
    assert missing.sentence == "the host's apt sources do not have libnvinfer10 9 (and 1 more); they have 10.2, 10.1"
    assert "tensorrt_version" in missing.remedy
    assert "tensorrt_version" not in Missing(("python3-venv",), ()).remedy


@pytest.mark.parametrize(
    ("ends", "code"),
    [
        ([("unchanged", ""), ("prepared", "")], 0),
        ([("prepared", ""), ("refused", "plan")], 3),
        ([("refused", "plan"), ("refused", "lock")], 5),
        ([("refused", "lock"), ("failed", "install")], 1),
    ],
)
def test_the_gravest_end_decides_the_exit_code(ends, code: int) -> None:
    reports = [HostReport("a", outcome=end, error=Trouble(phase, "x") if phase else None) for end, phase in ends]
    assert exit_code(reports) == code


def test_a_lock_is_told_apart_from_every_other_failure() -> None:
    assert isinstance(apt_error("x", Answer(100, "", LOCKED)), PackagesLocked)
    assert not isinstance(apt_error("x", Answer(100, "", "E: Unable to locate package a\n")), PackagesLocked)


def notes_of(told: list[str]) -> PhaseNotes:
    return PhaseNotes(PhaseLog("a", lambda _, phase: told.append(phase.detail)), "install")


def test_work_is_tried_again_until_no_lock_keeps_it_out_and_the_reason_is_told_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(waiting, "_PAUSE_S", 0.0)
    told: list[str] = []
    ends = iter([PackagesLocked("held by 7"), PackagesLocked("held by 7"), PackagesLocked("held by 8"), None])

    def work() -> None:
        if (error := next(ends)) is not None:
            raise error

    waiting.unlocked(work, notes_of(told))
    assert told == ["waiting for another program: held by 7", "waiting for another program: held by 8"]
    assert next(ends, "spent") == "spent"


def test_a_lock_that_stays_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "LOCK_WAIT_S", -1.0)

    def work() -> None:
        raise PackagesLocked("held by 7")

    with pytest.raises(PackagesLocked):
        waiting.unlocked(work, notes_of([]))
