"""The status of hosts as one document: ``edgeops.status/1``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from pathlib import PurePosixPath
from typing import Any, Literal

from edgeops.lock import Holder
from edgeops.status.comparing import DOWN
from edgeops.status.drift import Drift
from edgeops.status.seen import Seen

SCHEMA = "edgeops.status/1"
State = Literal["ok", "drifted", "down", "never deployed", "not reached"]


@dataclass(frozen=True)
class HostStatus:
    """One host; ``error`` and ``remedy`` where it could not be asked, and then nothing else is known."""

    host: str
    seen: Seen | None = None
    drift: tuple[Drift, ...] = ()
    notes: tuple[str, ...] = ()
    last_smoke: Mapping[str, Any] | None = None
    error: str = ""
    remedy: str = ""
    at: str = field(default_factory=lambda: datetime.now(timezone.utc).isoformat(timespec="seconds"))

    @property
    def state(self) -> State:
        if self.seen is None:
            return "not reached"
        if not self.seen.deployed:
            return "never deployed"
        if any(drift.what in DOWN for drift in self.drift):
            return "down"
        return "drifted" if self.drift else "ok"

    @property
    def ok(self) -> bool:
        return self.state == "ok"


@dataclass(frozen=True)
class Status:
    """All hosts of one call."""

    hosts: tuple[HostStatus, ...]
    interrupted: bool = False

    @property
    def exit_code(self) -> int:
        """130 interrupted, 1 where a host drifted, is down, was never deployed to or could not be asked, else 0."""
        if self.interrupted:
            return 130
        return 0 if all(host.ok for host in self.hosts) else 1


def document(hosts: Sequence[HostStatus]) -> dict[str, Any]:
    """``edgeops status --json``."""
    return {"schema": SCHEMA, "hosts": [_host(host) for host in hosts]}


def _host(status: HostStatus) -> dict[str, Any]:
    seen = status.seen
    trouble = {"error": status.error, "remedy": status.remedy} if status.error else {}
    return {
        "host": status.host,
        "platform": seen.platform if seen else "unknown",
        "simulated": seen.snapshot.simulated if seen else False,
        "ok": status.ok,
        "state": status.state,
        "release": (PurePosixPath(seen.found.current).name if seen and seen.found.current else None),
        "setting": _setting(seen) if seen else None,
        "deployed": _deployed(seen) if seen else None,
        "unit": _unit(seen) if seen else None,
        "health": _health(seen) if seen else None,
        "last_proof": _proof(seen, status.at) if seen else None,
        "last_smoke": dict(status.last_smoke) if status.last_smoke else None,
        "lock": _lock(seen.holder) if seen and seen.holder else None,
        "drift": [asdict(drift) for drift in status.drift],
        "notes": list(status.notes),
        **trouble,
    }


def _lock(holder: Holder) -> dict[str, Any]:
    """Its token is for taking the lock away, and nobody's business here."""
    return {key: value for key, value in asdict(holder).items() if key != "token"}


def _setting(seen: Seen) -> str | None:
    """How the deployed service decodes, in words."""
    method, k = seen.state.get("method"), seen.state.get("k")
    if not method:
        return None
    return "plain decoding" if method == "none" else f"{method} with k={k}"


def _deployed(seen: Seen) -> dict[str, Any] | None:
    if not seen.state:
        return None
    return {key: seen.state.get(key) for key in ("at", "by", "version", "tensorrt")}


def _unit(seen: Seen) -> dict[str, Any]:
    unit = seen.unit
    since = "ActiveEnterTimestamp" if unit.get("ActiveState") == "active" else "InactiveEnterTimestamp"
    return {
        "active": unit.get("ActiveState", "inactive"),
        "main_pid": _number(unit.get("MainPID")) or None,
        "restarts": _number(unit.get("NRestarts")),
        "since": _moment(seen.running.moments.get(since) or unit.get(since)),
    }


def _health(seen: Seen) -> dict[str, Any]:
    return {"ready": seen.health.ready, "method": seen.health.method, "model": seen.health.model}


def _proof(seen: Seen, now: str) -> dict[str, Any] | None:
    """A proof that was made now; else, or where it failed, the recorded one is the last good one."""
    recorded = seen.state.get("proof")
    kept = recorded if isinstance(recorded, Mapping) else None
    before = {"at": seen.state.get("at"), **kept, "ok": True, "from": "deploy", "problems": []} if kept else None
    if seen.proof is None:
        return before
    good = seen.proof.ok and seen.proof.knows_the_answer
    return {
        "at": now,
        "completion_tokens": seen.proof.completion_tokens,
        "known_answer": seen.proof.knows_the_answer,
        "ok": good,
        "from": "now",
        "problems": list(seen.proof.problems),
        "last_good": now if good else before and before["at"],
    }


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() else 0


def _moment(text: str | None) -> str | None:
    """``Mon 2026-11-30 18:00:00 UTC`` as ISO 8601; in another time zone as systemd says it."""
    if not text:
        return None
    try:
        moment = datetime.strptime(text, "%a %Y-%m-%d %H:%M:%S UTC").replace(tzinfo=timezone.utc)
    except ValueError:
        return text
    return moment.isoformat()
