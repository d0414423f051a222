"""The heartbeat of a lock: who answers nothing for long is given up, who answers late is not."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import gevent
import pytest

from edgeops import lock
from edgeops.snapshot import Answer


@dataclass
class PretendedHost:
    """Answers the lock's program, or nothing while it is frozen, or always a ``delay`` too late."""

    silent: bool = False
    asked: int = 0
    given_up: list[str] = field(default_factory=list)
    verbs: list[str] = field(default_factory=list)

    def run(self, _command: str, *, stdin: str = "", on_line: Any = None, **_: Any) -> Answer:
        self.asked += 1
        self.verbs.append(json.loads(stdin)["plan"]["verb"])
        if self.silent:
            return Answer(124, "", "")
        on_line('{"event": "locked"}')
        return Answer(0, "", "")

    def give_up(self, reason: str) -> None:
        self.given_up.append(reason)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "BEAT_S", 0.005)
    monkeypatch.setattr(lock, "SILENCE_S", 0.05)


def hold_until(host: Any, done: Any) -> None:
    with gevent.Timeout(20), lock.locked(host, lock.Claim("deploy", "run")):
        while not done():
            gevent.sleep(0.005)


def test_a_host_that_answers_no_heartbeat_is_given_up_with_the_reason() -> None:
    host = PretendedHost()

    def freeze() -> bool:
        host.silent = host.asked > 3
        return bool(host.given_up)

    hold_until(host, freeze)
    assert host.given_up == ["the host has answered nothing for 0.05 s: it may be frozen"]


def test_a_host_that_answers_now_and_then_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "SILENCE_S", 5.0)  # a stall of this machine is not to count
    host = PretendedHost()

    def mostly_silent() -> bool:
        host.silent = host.asked % 3 != 0
        return host.asked > 60

    hold_until(host, mostly_silent)
    assert host.given_up == []
    assert host.verbs[0] == "acquire"
    assert host.verbs[-1] == "release"
