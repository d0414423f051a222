"""Several control machines, one result: ``edgeops runs merge``. What contradicts itself is refused, not averaged."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edgeops.deployment.report import HostReport, document
from edgeops.errors import ConfigurationError
from edgeops.locations import RUNS
from edgeops.rollout.journal import JOURNAL, PLAN
from edgeops.rollout.shards import RESULT, Part, Shard
from edgeops.runs import Run, new_run

SCHEMA = "edgeops.merge/1"
SOURCES = "merged.json"


@dataclass(frozen=True)
class Merged:
    """One run made of ``shards``; ``parts`` holds the run that counts for each host, in the order of the shards."""

    run: Run
    shards: tuple[Shard, ...]
    parts: tuple[Part, ...]

    @property
    def reports(self) -> list[HostReport]:
        return [part.report for part in self.parts]

    def result(self) -> dict[str, Any]:
        """``edgeops.deploy/1``, with ``from_run`` for each host."""
        made = document(self.run.name, self.reports)
        hosts = [{**host, "from_run": part.run} for host, part in zip(made["hosts"], self.parts, strict=True)]
        return {**made, "hosts": hosts}

    def sources(self) -> dict[str, Any]:
        """Where it comes from: each run with its digest and its hosts, those that a later run superseded included."""
        return {"schema": SCHEMA, "run": self.run.name, "sources": [self._source(shard) for shard in self.shards]}

    def _source(self, shard: Shard) -> dict[str, Any]:
        counted = {part.host for part in self.parts if part.run == shard.run}
        hosts = [
            {"host": part.host, "outcome": part.report.outcome, "counts": part.host in counted} for part in shard.parts
        ]
        return {"run": shard.run, "directory": str(shard.directory), "sha256": shard.digest, "hosts": hosts}


def merge(shards: Sequence[Shard], root: Path = RUNS) -> Merged:
    """Join the runs; nothing is written. Raises ConfigurationError for contradictions.

    A host that several runs had is told by the last that may have changed it, else by the last.
    """
    distinct = _distinct(shards)
    by_host: dict[str, list[Part]] = {}
    for shard in distinct:
        for part in shard.parts:
            by_host.setdefault(part.host, []).append(part)
    if clashes := [text for parts in by_host.values() for text in _clashes(parts)]:
        remedy = "Locks make that impossible on one host: do two of these hosts share a name, or a clock run wrong?"
        raise ConfigurationError("; ".join(clashes), remedy)
    return Merged(new_run("deploy", root), distinct, tuple(_counting(parts) for parts in by_host.values()))


def keep(merged: Merged) -> Mapping[str, Any]:
    """Write the joined run, with copies of what it was made of. Returns its result."""
    result = merged.result()
    for shard in merged.shards:
        _copy(shard, merged.run.directory / "sources" / shard.run, (JOURNAL, PLAN, RESULT))
    for part in merged.parts:
        shard = next(shard for shard in merged.shards if shard.run == part.run)
        records = (part.report.smoke or {}).get("records")
        if isinstance(records, str):
            _copy(shard, merged.run.directory, (Path(records).name,))
    merged.run.write(SOURCES, merged.sources())
    merged.run.write(RESULT, result)
    return result


def _distinct(shards: Sequence[Shard]) -> tuple[Shard, ...]:
    """The same run given twice counts once; two of one name that differ are refused."""
    found: dict[str, Shard] = {}
    for shard in shards:
        other = found.setdefault(shard.run, shard)
        if other.digest != shard.digest:
            where = f"{other.directory} and {shard.directory}"
            raise ConfigurationError(f"{where} both say that they are {shard.run}, and differ", "Give the newer one.")
    return tuple(found.values())


def _clashes(parts: Sequence[Part]) -> list[str]:
    touched = [part for part in parts if part.touched]
    pairs = [(one, two) for number, one in enumerate(touched) for two in touched[number + 1 :] if one.overlaps(two)]
    return [f"{one.host} was changed by {one.run} and by {two.run} at the same time" for one, two in pairs]


def _counting(parts: Sequence[Part]) -> Part:
    return max(parts, key=lambda part: (part.touched, part.ended))


def _copy(shard: Shard, target: Path, names: Sequence[str]) -> None:
    for name in names:
        source = shard.directory / name
        if source.is_file():
            target.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target / name)
