"""``edgeops check``: probe, judge, tell. Changes nothing, on no host."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from edgeops import engine
from edgeops.engine import Access, HostResult
from edgeops.errors import ConfigurationError
from edgeops.inventory import Host
from edgeops.quoting import shell
from edgeops.report.faults import fault_lines
from edgeops.requirements import Case, Verdict, judge_case, refuse_unknown_ids
from edgeops.settings import Settings
from edgeops.snapshot import Snapshot
from edgeops.snapshot.documents import document as snapshot_document
from edgeops.snapshot.documents import read
from edgeops.snapshot.redaction import redacted
from edgeops.snapshot.script import take

SCHEMA = "edgeops.check/1"
DEADLINE_S = 180.0
"""For one host, connecting included; each probe has a limit of its own."""


@dataclass(frozen=True)
class HostCheck:
    """One host's verdicts, or ``error`` and ``remedy`` where it could not be asked."""

    host: str
    platform: str = "unknown"
    simulated: bool = False
    verdicts: tuple[Verdict, ...] = ()
    error: str = ""
    remedy: str = ""

    @property
    def ok(self) -> bool:
        """Asked, and nothing failed."""
        return not self.error and all(verdict.status != "fail" for verdict in self.verdicts)


@dataclass(frozen=True)
class Check:
    """All hosts of one call, and the snapshots of those that answered."""

    hosts: tuple[HostCheck, ...]
    snapshots: tuple[Snapshot, ...] = field(default=(), repr=False)
    interrupted: bool = False

    @property
    def exit_code(self) -> int:
        """130 interrupted, 1 a host could not be asked, 3 a requirement failed, 0 otherwise."""
        if self.interrupted:
            return 130
        if any(host.error for host in self.hosts):
            return 1
        return 0 if all(host.ok for host in self.hosts) else 3


def check_hosts(hosts: Sequence[Host], access: Access, parallel: int) -> Check:
    """Take a snapshot of each host, side by side, and judge it by its own settings. Raises ConfigurationError."""
    interrupted = False
    for host in hosts:
        refuse_unknown_ids(host.settings)
    try:
        results = engine.run(hosts, take, deadline=DEADLINE_S, parallel=parallel, access=access)
    except engine.Interrupted as stopped:
        interrupted, results = True, stopped.results
    checks = tuple(_checked(results[host.name]) for host in hosts)
    snapshots = tuple(result.value for result in results.values() if result.value is not None)
    return Check(checks, snapshots, interrupted)


def check_snapshots(snapshots: Iterable[Snapshot], settings_of: Callable[[str], Settings]) -> Check:
    """Judge saved snapshots; ``settings_of`` gives a host's settings by its name."""
    kept = tuple(snapshots)
    return Check(tuple(judged(snapshot, settings_of(snapshot.host)) for snapshot in kept), kept)


def judged(snapshot: Snapshot, settings: Settings) -> HostCheck:
    """One snapshot, judged."""
    case = Case(snapshot, settings)
    return HostCheck(snapshot.host, case.platform.name, snapshot.simulated, judge_case(case))


def _checked(result: HostResult[Snapshot]) -> HostCheck:
    if result.value is not None:
        return judged(result.value, result.host.settings)
    reason = result.error or f"not asked ({result.status})"
    remedy = result.remedy or f"try by hand: {_by_hand(result.host)}"
    return HostCheck(result.host.name, error=f"{_WORDS.get(result.status, 'not asked')}: {reason}", remedy=remedy)


def _by_hand(host: Host) -> str:
    port = ("-p", host.port) if host.port else ()
    return shell("ssh", *port, f"{host.user}@{host.address}" if host.user else host.address, "true")


_WORDS = {"unreachable": "not reached", "timeout": "no answer in time", "interrupted": "interrupted"}


def document(check: Check) -> dict[str, Any]:
    """The ``edgeops.check/1`` document. A host that could not be asked has ``error`` and ``remedy`` as well."""
    return {"schema": SCHEMA, "hosts": [_host_document(host) for host in check.hosts]}


def _host_document(host: HostCheck) -> dict[str, Any]:
    trouble = {"error": host.error, "remedy": host.remedy} if host.error else {}
    return {
        "host": host.host,
        "platform": host.platform,
        "simulated": host.simulated,
        "ok": host.ok,
        "results": [asdict(verdict) for verdict in host.verdicts],
        **trouble,
    }


def report_faults(verdicts: Mapping[str, Sequence[Verdict]]) -> list[str]:
    """The failed requirements by host name: a line of cause and a line of remedy each, identical ones grouped."""
    return fault_lines((host, [asdict(verdict) for verdict in found]) for host, found in verdicts.items())


def read_snapshots(paths: Iterable[Path]) -> list[Snapshot]:
    """The snapshots in files, and in all ``*.json`` of directories. Raises ConfigurationError."""
    return [read(file) for path in paths for file in _files(path)]


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(path.glob("*.json"))
    if not files:
        raise ConfigurationError(
            f"{path} holds no snapshot (*.json)", "write some with: edgeops check TARGET --save DIR"
        )
    return files


def save(check: Check, directory: Path, users: Iterable[str]) -> list[Path]:
    """Write one redacted snapshot a host into ``directory``. Raises ConfigurationError where that is impossible."""
    names = tuple(users)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        return [_save(redacted(snapshot, names), directory) for snapshot in check.snapshots]
    except OSError as error:
        raise ConfigurationError(f"{directory} cannot be written: {error.strerror}") from None


def _save(snapshot: Snapshot, directory: Path) -> Path:
    path = directory / f"{re.sub(r'[^A-Za-z0-9._-]', '_', snapshot.host).lstrip('.') or 'host'}.json"
    text = json.dumps(snapshot_document(snapshot), indent=2, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
    return path
