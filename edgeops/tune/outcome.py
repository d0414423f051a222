"""What a tuning decided on one host, and what follows for the inventory: pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from edgeops.bench.choice import Choice, Scored, choose, combine, scored
from edgeops.inventory import Host
from edgeops.inventory.editing import Changes, lines

SCHEMA = "edgeops.tune/1"
FILE = "tune.json"


@dataclass
class HostTuning:
    """One host. ``sweeps`` are its entries of ``edgeops.smoke/1``, one a method; ``state`` says how it was left.

    ``applied``: what became of ``--apply``, in words; None where it was not asked for.
    """

    host: Host
    sweeps: list[dict[str, Any]] = field(default_factory=list)
    state: str = ""
    choice: Choice = field(default_factory=lambda: Choice("inconclusive", "nothing was measured"))
    workloads: dict[str, Choice] = field(default_factory=dict)
    error: dict[str, str] | None = None
    applied: str | None = None
    failed: bool = False

    @property
    def changes(self) -> Changes:
        """Settings to write for this choice; empty where it is what the host has, and without a decision."""
        settings, chosen = self.host.settings, self.choice
        if chosen.answer == "inconclusive":
            return {}
        if chosen.answer == "off":
            return {"method": "off"} if settings.speculative else {}
        new: dict[str, str | int | None] = {}
        if chosen.method != settings.method:
            new["method"] = chosen.method
            if settings.draft_model is not None and settings.speculative:
                new |= {"draft_model": None}
        if chosen.k != settings.k:
            new["k"] = chosen.k
        return new

    def document(self, inventory: str | None) -> dict[str, Any]:
        """One entry of ``hosts`` in ``edgeops.tune/1``."""
        settings = self.host.settings
        return {
            "host": self.host.name,
            "outcome": "not tuned" if self.error else self.choice.answer,
            "simulated": any(sweep["simulated"] for sweep in self.sweeps),
            "now": {"method": settings.method, "k": settings.k if settings.speculative else 0},
            "choice": self.choice.document(),
            "by_workload": [{"name": name, "choice": one.document()} for name, one in self.workloads.items()],
            "write": {"file": inventory, "host": self.host.name, "lines": lines(self.changes)}
            if self.changes
            else None,
            "applied": self.applied,
            "state": self.state,
            "sweeps": self.sweeps,
            **({"error": self.error} if self.error else {}),
        }


def decide(tuning: HostTuning) -> None:
    """Fill in the choices from the sweeps."""
    arms: dict[str, list[Scored]] = {}
    for sweep in tuning.sweeps:
        for workload in sweep["workloads"]:
            method = str(sweep["server"]["speculative_method"])
            arms.setdefault(workload["name"], []).extend(scored(method, workload["speedup"]))
    tuning.workloads = {name: choose(found) for name, found in arms.items()}
    if tuning.workloads:
        tuning.choice = combine(tuning.workloads, arms)


def document(run: str, tunings: Sequence[HostTuning], inventory: str | None) -> dict[str, Any]:
    """``edgeops tune --json``."""
    return {"schema": SCHEMA, "run": run, "hosts": [tuning.document(inventory) for tuning in tunings]}


def exit_code(tunings: Sequence[HostTuning]) -> int:
    """0 when every host has an answer, "off" and "inconclusive" included, and what was to be applied is; else 1."""
    return 1 if any(tuning.error or tuning.failed for tuning in tunings) else 0
