"""How a rollout proceeds, and how far it got."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from edgeops.deployment import Batch, document
from edgeops.deployment.phases import Listener
from edgeops.deployment.report import HostReport
from edgeops.rollout.journal import Journal, Plan
from edgeops.rollout.waves import Canary, Share

OnStop = Literal["rollback", "keep"]


@dataclass(frozen=True)
class Rules:
    """How a rollout proceeds. ``max_fail``: so many hosts may fail before it stops; a canary may not.

    ``pause_s`` and ``approve``: what comes before every wave but the first.
    """

    canary: Canary = field(default_factory=Canary)
    batches: tuple[Share, ...] = ()
    max_fail: Share = field(default_factory=lambda: Share(0))
    pause_s: float = 0.0
    on_stop: OnStop = "rollback"
    approve: bool = False


@dataclass(frozen=True)
class Audience:
    """Who hears of it: phases of hosts, sentences about the whole; ``agrees`` puts a question to the operator."""

    phase: Listener
    sentence: Callable[[str], None]
    agrees: Callable[[str], bool]


@dataclass
class Rollout:
    """A run over waves of hosts. ``stopped`` says why it ended early, in a sentence; ``declined``: the operator did not
    want to go on.
    """

    batch: Batch
    plan: Plan
    journal: Journal
    stopped: str = ""
    cut_off: dict[str, HostReport] = field(default_factory=dict)
    """Of a resumed run: hosts that it deployed, and was interrupted before it had measured them."""
    declined: bool = False

    @property
    def may_be_resumed(self) -> bool:
        """Whether nothing is wrong with it: it was only cut off."""
        return self.declined or self.batch.interrupted

    def result(self) -> dict[str, Any]:
        """The document of the run, hosts in the order of their waves."""
        order = [name for wave in self.plan.waves for name in wave]
        reports = [self.batch.reports[name] for name in order if name in self.batch.reports]
        return document(self.batch.run.name, reports)
