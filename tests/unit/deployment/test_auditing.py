"""What becomes of a host is noted there; a note that cannot be written never hides why a deploy failed."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from edgeops.deployment.context import StartFailed
from edgeops.deployment.flow import note_in_audit
from edgeops.deployment.phases import PhaseLog
from edgeops.deployment.report import HostReport
from edgeops.deployment.survey import Found
from edgeops.engine.session import HostLost
from edgeops.errors import EdgeopsError
from edgeops.lock import Claim
from edgeops.settings import Settings
from edgeops.snapshot import Answer


def work(answer: Answer) -> tuple[Any, list[str]]:
    written: list[str] = []

    def run(_command: str, *, stdin: str, **_: Any) -> Answer:
        written.append(stdin)
        return answer

    report = HostReport("spark-01", outcome="deployed")
    log = PhaseLog("spark-01", lambda *_: None, report.phases)
    claim, session = Claim("deploy", "run-1"), SimpleNamespace(run=run)
    return SimpleNamespace(
        began=True,
        found=Found(state={"release": "0.11.0-aaaaaaaa", "method": "dspark", "k": 3}),
        serves="dspark, k=5",
        report=report,
        log=log,
        claim=claim,
        session=session,
        settings=Settings(),
    ), written


def fail(one: Any) -> None:
    try:
        raise StartFailed("the server died")
    finally:
        note_in_audit(one, "deploy")


def test_a_failure_is_noted_with_its_reason() -> None:
    one, written = work(Answer(0))
    with pytest.raises(StartFailed):
        fail(one)
    entry = json.loads(written[0])
    assert (entry["outcome"], entry["why"], entry["run"]) == ("failed", "the server died", "run-1")


def test_from_and_to_are_what_was_verified_last_and_what_serves_now() -> None:
    one, written = work(Answer(0))
    one.report.previous, one.report.release = "0.11.1-bbbbbbbb", "0.11.1-bbbbbbbb"
    note_in_audit(one, "deploy")
    entry = json.loads(written[0])
    assert (entry["before"], entry["served"]) == ("0.11.0-aaaaaaaa", "dspark, k=3")
    assert (entry["after"], entry["serves"]) == ("0.11.1-bbbbbbbb", "dspark, k=5")


def test_a_log_that_cannot_be_written_does_not_hide_why_the_deploy_failed() -> None:
    one, _ = work(Answer(1, err="No space left on device"))
    with pytest.raises(StartFailed) as told:
        fail(one)
    assert told.value.message.startswith("the server died; and the audit log cannot be written")


def test_a_log_that_cannot_be_written_is_told_where_all_else_went_well() -> None:
    one, _ = work(Answer(1, err="No space left on device"))
    with pytest.raises(EdgeopsError, match="No space left"):
        note_in_audit(one, "deploy")


def test_a_connection_that_is_gone_is_not_tried_again() -> None:
    one, written = work(Answer(0))
    with pytest.raises(HostLost):
        lose(one)
    assert written == []


def lose(one: Any) -> None:
    try:
        raise HostLost("spark-01: connection lost")
    finally:
        note_in_audit(one, "deploy")


def test_a_host_on_which_nothing_was_begun_has_nothing_to_note() -> None:
    one, written = work(Answer(0))
    one.began = False
    note_in_audit(one, "deploy")
    assert written == []
