"""The locks of a whole rollout, on pretended hosts: all are asked, who holds one is named, all are freed."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import gevent
import pytest

from edgeops.deployment import Reach
from edgeops.engine import HostResult
from edgeops.errors import EdgeopsError
from edgeops.inventory import Host
from edgeops.lock import Claim
from edgeops.rollout import reserving
from edgeops.snapshot import Answer

HOSTS = [Host(name, "192.0.2.1") for name in ("a", "b", "c")]
HOLDER = {"owner": "ada", "host": "desk", "pid": 7, "purpose": "rollout", "run": "r", "since": "today", "token": "t"}


@dataclass
class PretendedHost:
    """Answers the lock's program as one that is free, or as one that ``HOLDER`` holds."""

    host: Host
    held: bool
    verbs: list[str] = field(default_factory=list)

    def run(self, _command: str, *, stdin: str = "", on_line: Any = None, **_: Any) -> Answer:
        self.verbs.append(json.loads(stdin)["plan"]["verb"])
        holder = {"event": "held", "holder": {**HOLDER, "age_s": 3.0}}
        on_line(json.dumps(holder if self.held else {"event": "locked"}))
        return Answer(0, "", "")


@dataclass
class PretendedEngine:
    """Runs the work on pretended hosts side by side; ``off`` ones cannot be reached."""

    held: tuple[str, ...] = ()
    off: tuple[str, ...] = ()
    hosts: dict[str, PretendedHost] = field(default_factory=dict)

    def run(self, hosts: Sequence[Host], work: Callable[[Any], None], *, on_end: Any, **_: Any) -> None:
        gevent.joinall([gevent.spawn(self._work_on, host, work, on_end) for host in hosts])

    def _work_on(self, host: Host, work: Callable[[Any], None], on_end: Any) -> None:
        result: HostResult[None] = HostResult(host)
        try:
            if host.name in self.off:
                raise OSError
            self.hosts[host.name] = PretendedHost(host, host.name in self.held)
            work(self.hosts[host.name])
        except (EdgeopsError, OSError) as error:
            result.cause = error
        on_end(result)


def run(engine: PretendedEngine, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setattr(reserving.engine, "run", engine.run)
    with gevent.Timeout(20), reserving.reserved(HOSTS, Claim("rollout", "run"), {}, Reach()) as others:
        return {name: error.message for name, error in others.items()}


def test_every_host_is_locked_and_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = PretendedEngine()
    assert run(engine, monkeypatch) == {}
    assert [host.verbs for host in engine.hosts.values()] == [["acquire", "release"]] * 3


def test_a_holder_is_named_and_the_others_are_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = PretendedEngine(held=("b",))
    others = run(engine, monkeypatch)
    assert list(others) == ["b"]
    assert "locked by ada@desk (pid 7) for rollout" in others["b"]
    assert [engine.hosts[name].verbs[-1] for name in "abc"] == ["release", "acquire", "release"]


def test_a_host_that_is_off_is_left_to_its_own_wave(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(PretendedEngine(off=("a", "b", "c")), monkeypatch) == {}
