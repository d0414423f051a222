"""The phases of one host's deploy, as they happen: told to whoever listens, and kept for the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

import gevent

Status = Literal["running", "done", "skipped", "failed"]


@dataclass(frozen=True)
class Phase:
    """One phase of one host. ``detail`` is one line for a reader; ``seconds`` is wall time."""

    name: str
    status: Status
    seconds: float = 0.0
    detail: str = ""


Listener = Callable[[str, Phase], None]
"""Called with the host's name when a phase begins, says something (``running``) and ends."""


@dataclass
class PhaseLog:
    """What has happened on one host so far."""

    host: str
    tell: Listener
    phases: list[Phase] = field(default_factory=list)

    @contextmanager
    def phase(self, name: str) -> Iterator[PhaseNotes]:
        """Run the body as phase ``name``; an exception ends it as failed and goes on."""
        began, notes = time.monotonic(), PhaseNotes(self, name)
        self.tell(self.host, Phase(name, "running"))
        try:
            yield notes
        except BaseException as error:
            self._end(Phase(name, "failed", time.monotonic() - began, notes.detail or sentence(error)))
            raise
        self._end(Phase(name, notes.status, time.monotonic() - began, notes.detail))

    def _end(self, phase: Phase) -> None:
        self.phases.append(phase)
        self.tell(self.host, phase)


@dataclass
class PhaseNotes:
    """What the body of a phase may say about it."""

    log: PhaseLog
    name: str
    detail: str = ""
    status: Status = "done"

    def say(self, line: str) -> None:
        """Progress: one line, now."""
        self.log.tell(self.log.host, Phase(self.name, "running", detail=line))

    def skip(self, why: str) -> None:
        """Nothing to do in this phase."""
        self.status, self.detail = "skipped", why


def sentence(error: BaseException) -> str:
    """What happened, in words: an error's own, or what ended the phase from outside."""
    if isinstance(error, (gevent.GreenletExit, KeyboardInterrupt)):
        return "interrupted"
    if isinstance(error, gevent.Timeout):
        return f"not finished after {error.seconds:g} s"
    return getattr(error, "message", "") or str(error) or type(error).__name__
