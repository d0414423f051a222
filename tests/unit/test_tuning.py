"""A kept choice says when it no longer holds, and never fails on what somebody wrote into the file."""

from __future__ import annotations

import pytest

from edgeops import tuning
from edgeops.desired import Declared, release, service
from edgeops.settings import Settings
from edgeops.snapshot import Snapshot
from edgeops.snapshot.facts import facts_of
from tests.data.answers import SPARK
from tests.unit.test_desired import BASE, DRAFT, MACHINE

FACTS = facts_of(Snapshot("spark-01", "2026-11-30T09:12:44+00:00", False, SPARK))


def now(**settings: object) -> dict[str, str | None]:
    given = Settings.model_validate({"model": BASE.source, "draft_model": DRAFT.source, **settings})
    pinned = release(given, MACHINE, "")
    checkpoints = (BASE, DRAFT) if given.speculative else (BASE,)
    made = service(given, MACHINE, pinned, BASE, DRAFT if given.speculative else None)
    return tuning.fingerprint(FACTS, Declared(given, MACHINE, pinned, checkpoints, made))


RECORD = tuning.record({"method": "dspark", "k": 3}, now())


def test_all_that_a_choice_rests_on_is_known_of_a_real_host() -> None:
    assert set(now()) == set(tuning.NAMES)
    assert all(value is not None for value in now().values())


def test_nothing_is_said_where_all_agrees_and_where_nothing_was_tuned() -> None:
    assert tuning.mismatches(RECORD, now()) == []
    assert tuning.mismatches(None, now()) == []


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"k": 5}, ["k"]),
        ({"method": "mtp"}, ["method"]),
        ({"method": "off"}, ["draft's files", "method", "k"]),
        ({"max_input_len": 2048}, ["server's flags"]),
        ({"edgellm_version": "0.12.0"}, ["version of TensorRT Edge-LLM", "server's flags"]),
    ],
)
def test_each_change_is_named(settings: dict[str, object], what: list[str]) -> None:
    assert [one.what for one in tuning.mismatches(RECORD, now(**settings))] == [f"tuning: {name}" for name in what]


@pytest.mark.parametrize("key", sorted(tuning.NAMES))
def test_every_fingerprint_counts_and_an_unknown_one_does_not(key: str) -> None:
    (found,) = tuning.mismatches(RECORD, now() | {key: "other"})
    assert (found.what, found.actual) == (f"tuning: {tuning.NAMES[key]}", "other")
    assert found.remedy
    assert tuning.mismatches(RECORD, now() | {key: None}) == []


@pytest.mark.parametrize(
    "junk", [[], "x", 3, {}, {"schema": "edgeops.tuning/1"}, {"fingerprint": {}}, {"fingerprint": 1}]
)
def test_a_broken_record_is_a_mismatch_and_no_traceback(junk: object) -> None:
    (found,) = tuning.mismatches(junk, now())
    assert "cannot be read" in found.actual


def test_the_flags_leave_out_what_method_and_k_say() -> None:
    assert now()["flags"] == now(k=7)["flags"]
    assert "speculative" not in (now()["flags"] or "")
