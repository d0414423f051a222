"""What happened in a rollout, on disk before it goes on: the plan, every phase of every host, how each host ended.

A run that was killed is taken up again from here (``edgeops deploy --resume RUN``).
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from edgeops.bench import gates
from edgeops.deployment.phases import Phase
from edgeops.deployment.report import HostReport, report_of
from edgeops.errors import ConfigurationError, LockedError
from edgeops.inventory import Host
from edgeops.locations import RUNS
from edgeops.rollout.waves import Share
from edgeops.runs import Run

PLAN = "rollout.json"
JOURNAL = "journal.jsonl"
RUNNING = "running"
"""Locked by the process that is at work on the run, and holds its number."""
SCHEMA = "edgeops.rollout/1"


@dataclass(frozen=True)
class Plan:
    """What was decided before anything was changed. ``settings``: a digest of each host's, to notice a move."""

    target: str
    waves: tuple[tuple[str, ...], ...]
    canary: bool
    options: Mapping[str, Any]
    settings: Mapping[str, str]
    schema: str = SCHEMA

    @property
    def rules(self) -> dict[str, Any]:
        """The rules that a resumed run keeps to."""
        return {
            "max_fail": Share(**self.options["max_fail"]),
            "on_stop": self.options["on_stop"],
            "pause_s": self.options["pause_s"],
        }


@dataclass
class Journal:
    """Appends to one run's journal; every line is on the disk before the call returns.

    One that cannot be written keeps no host from being put right: ``broken`` says so, and no further wave begins.
    """

    run: Run
    extra: Path | None = None
    """A second file for the same lines (``--events FILE``)."""
    waves: dict[str, int] = field(default_factory=dict)
    broken: str = ""
    silent: bool = False
    """Of a dry run, which leaves nothing behind."""

    def phase(self, host: str, phase: Phase) -> None:
        """A phase began or ended; what it says in between is not kept."""
        if phase.status != "running" or not phase.detail:
            self._append({"event": "phase", "host": host, "wave": self.waves.get(host, 1), **asdict(phase)})

    def ended(self, report: HostReport) -> None:
        """How one host ended, with its whole report."""
        self._append({"event": "host", "host": report.host, "wave": report.wave, "report": asdict(report)})

    def said(self, event: str, **details: Any) -> None:
        """Something about the rollout itself: a wave begins, it stops."""
        self._append({"event": event, **details})

    def _append(self, entry: dict[str, Any]) -> None:
        if self.silent:
            return
        line = json.dumps({"at": datetime.now(timezone.utc).isoformat(), **entry}, ensure_ascii=False) + "\n"
        for path in filter(None, (self.run.directory / JOURNAL, self.extra)):
            try:
                _append(path, line)
            except OSError as error:
                self.broken = f"{path} cannot be written: {error.strerror}"


def _append(path: Path, line: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as journal:
        journal.write(line)
        journal.flush()
        os.fsync(journal.fileno())


@contextmanager
def alone(run: Run) -> Iterator[None]:
    """One process at a time goes on with a run: the kernel frees it when that process ends, however it ends.

    Raises LockedError with its process id.
    """
    run.directory.mkdir(parents=True, exist_ok=True)
    with (run.directory / RUNNING).open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            who = f"the process {file.read().strip() or '?'} on this machine is still at work on {run.name}"
            raise LockedError(who, "Wait for it, or end it and resume the run then.") from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def settings_digest(host: Host) -> str:
    """Changes when anything that is declared for the host does."""
    content = [host.address, host.port, host.user, host.settings.model_dump(mode="json")]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def keep_plan(run: Run, plan: Plan) -> None:
    """Write the plan of a run, before its first host is touched."""
    run.write(PLAN, asdict(plan))


def reopen(name: str, root: Path = RUNS) -> tuple[Run, Plan, dict[str, HostReport]]:
    """A run, its plan, and the reports of the hosts that ended. Raises ConfigurationError."""
    run = Run(name, root / name)
    try:
        document = json.loads((run.directory / PLAN).read_text(encoding="utf-8"))
        waves = tuple(tuple(str(host) for host in wave) for wave in document["waves"])
        plan = Plan(str(document["target"]), waves, bool(document["canary"]), document["options"], document["settings"])
        _check(plan)
    except OSError:
        raise ConfigurationError(f"there is no rollout {name!r} to resume", _known(root)) from None
    except (ValueError, KeyError, TypeError, AttributeError, gates.GateSyntaxError) as error:
        raise ConfigurationError(f"the plan of {name} cannot be read: {error}", _known(root)) from None
    return run, plan, dict(_ended(run.directory / JOURNAL))


def _check(plan: Plan) -> None:
    """Raises KeyError, TypeError or ValueError for a plan that cannot be gone on with."""
    rules = plan.rules
    gates.parse_all([str(gate) for gate in plan.options["gates"]])
    known = plan.options["smoke"] in ("changed", "always", "never") and rules["on_stop"] in ("rollback", "keep")
    named = set().union(*plan.waves) == set(plan.settings) and bool(plan.waves)
    if not (known and named and isinstance(plan.settings, Mapping) and math.isfinite(rules["pause_s"])):
        raise ValueError("it is not what edgeops wrote")


def refuse_changed_settings(plan: Plan, hosts: Sequence[Host]) -> None:
    """A resumed rollout brings about what was decided, or nothing. Raises ConfigurationError."""
    moved = [host.name for host in hosts if plan.settings.get(host.name) != settings_digest(host)]
    if moved:
        remedy = "Put the inventory back, or begin a new deploy: hosts that are done are left as they are."
        raise ConfigurationError(f"the settings of {', '.join(moved)} changed since the rollout began", remedy)


def _ended(path: Path) -> Iterator[tuple[str, HostReport]]:
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
    for line in lines:
        try:
            entry = json.loads(line)
            if entry["event"] == "host":
                yield entry["host"], report_of(entry["report"])
        except (ValueError, KeyError, TypeError):
            continue  # the last line of a run that was killed may be half a line


def _known(root: Path) -> str:
    names = sorted((path.parent.name for path in root.glob(f"*/{PLAN}")), reverse=True)[:5]
    return f"Newest runs: {', '.join(names)}." if names else "No rollout was begun here."
