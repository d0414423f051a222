"""A fresh result against the last accepted one of the same host, and against gates: what is added to its entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from edgeops.bench import gate_judgement, regression
from edgeops.bench.gates import Gate
from edgeops.bench.records import Header
from edgeops.bench.regression import Change
from edgeops.history.evidence import Evidence, read_records
from edgeops.runs import Run, open_index

Entry = dict[str, Any]

_SEARCHED = 20
"""So many accepted runs are looked at for one on the same fingerprints, before the last on others is taken."""


def judged(entry: Entry, run: Run, gates: Sequence[Gate] = ()) -> Entry:
    """``entry`` (of ``edgeops.smoke/1``) with ``regression`` and ``gates``, each only where there is something to say.

    The records are those that the run keeps; they must be complete before this is called.
    """
    if entry.get("error") or not entry.get("records"):
        return compared(entry, None, None, gates)
    now = read_records(run.directory / _file_name(entry["records"]))
    return compared(entry, now, last_accepted(now, run), gates)


def compared(entry: Entry, now: Evidence | None, last: Evidence | None, gates: Sequence[Gate]) -> Entry:
    """``entry``, measured as ``now``, against ``last`` and ``gates``. Pure."""
    changes = regression.compare(now.records, last.records) if now and last else []
    if now is None or last is None or not changes:
        return {**entry, **_gated(entry, gates, now)}
    found = {"regression": regression_document(now, last, changes)}
    return {**entry, **found, **_gated(entry, gates, now, last, changes)}


def failed_gates(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """A sentence for each gate that failed, the host in front."""
    named = [(entry.get("host") or entry.get("url"), gate) for entry in entries for gate in entry.get("gates", ())]
    return [f"{host}: gate {gate['gate']} failed: {gate['detail']}" for host, gate in named if not gate["ok"]]


def last_accepted(now: Evidence, run: Run) -> Evidence | None:
    """The last accepted smoke of the same host that did the same work, preferably on the same fingerprints."""
    header = now.records.header
    if header is None:
        return None
    fallback = None
    with open_index(run.directory.parent) as index:
        for _, accepted in zip(range(_SEARCHED), index.accepted(now.subject, run.name), strict=False):
            found = read_records(accepted.records)
            before = found.records.header
            if found.entry is None or before is None or not regression.is_same_work(header, before):
                continue
            if not regression.differences(header, before):
                return found
            fallback = fallback or found
    return fallback


def regression_document(now: Evidence, last: Evidence, changes: list[Change]) -> dict[str, Any]:
    """``regression`` of one entry: against which run, what else differs, and each arm's change."""
    header, before = _header(now), _header(last)
    differs = regression.differences(header, before)
    names = list(dict.fromkeys(change.workload for change in changes))
    arms = {name: {one.arm: one.document() for one in changes if one.workload == name} for name in names}
    return {
        "against": before.run,
        "same_fingerprints": not differs,
        "differs": list(differs),
        "workloads": [{"name": name, "arms": arms[name]} for name in names],
        "verdict": regression.overall(changes),
    }


def _gated(
    entry: Entry,
    gates: Sequence[Gate],
    now: Evidence | None = None,
    last: Evidence | None = None,
    changes: Sequence[Change] = (),
) -> dict[str, Any]:
    if not gates:
        return {}
    ratios = {(change.workload, change.arm): change.gain.e2e for change in changes if change.gain}
    evidence = gate_judgement.Evidence(
        entry=entry,
        served=_served(now),
        last=last.entry if last else None,
        last_served=_served(last),
        ratios=ratios,
    )
    return {"gates": [outcome.document() for outcome in gate_judgement.judge(gates, evidence)]}


def _served(evidence: Evidence | None) -> str:
    header = evidence.records.header if evidence else None
    return regression.served_arm(header) if header else regression.BASELINE


def _header(evidence: Evidence) -> Header:
    header = evidence.records.header
    assert header is not None
    return header


def _file_name(records: object) -> str:
    return str(records).rpartition("/")[2]
