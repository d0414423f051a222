"""One past run, computed again from its records, and what of the stored result does not agree with them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from edgeops.bench import gates
from edgeops.bench.gates import Gate
from edgeops.errors import EdgeopsError
from edgeops.history import comparing
from edgeops.history.evidence import Evidence, all_evidence, read_records
from edgeops.runs.summary import UNFINISHED, kind_of, result_file

_NEAR = 1e-9
"""Relative. The same figures from the same records agree to the last bits on any machine."""
_NOT_COMPUTED = ("records", "error")
_SENTENCES = ("reason", "detail")
"""Made of figures that are compared themselves; another version of edgeops may word them otherwise."""


@dataclass(frozen=True)
class PastRun:
    """``document`` has the figures that the records give. ``differences`` are sentences, empty when all agrees.

    ``notes`` say what was left out or is missing without any stored figure being wrong.
    """

    name: str
    kind: str
    directory: Path
    document: dict[str, Any]
    evidence: tuple[Evidence, ...]
    differences: tuple[str, ...]
    notes: tuple[str, ...]

    def evidence_of(self, entry: Mapping[str, Any]) -> Evidence | None:
        """The records behind one entry of ``edgeops.smoke/1``."""
        subject = entry.get("host") or entry.get("url")
        found = [one for one in self.evidence if one.entry is not None and one.subject == subject]
        same = [one for one in found if one.entry and one.entry["server"] == entry.get("server")]
        return next(iter([*same, *found]), None)

    def as_smoke(self) -> PastRun:
        """A tuning as what was measured for it: an entry for each host and method."""
        hosts = [smoke for entry in self.document["hosts"] for smoke in entry.get("sweeps", ())]
        return replace(self, kind="smoke", document={**self.document, "hosts": hosts})


def read_run(directory: Path) -> PastRun:
    """The run in ``directory``. Raises EdgeopsError when there is nothing that can be read."""
    evidence = all_evidence(directory)
    stored, notes = _stored(directory)
    notes += [complaint for one in evidence for complaint in one.complaints]
    computed = {one.subject: one.entry for one in evidence if one.entry is not None}
    if stored is None and not computed:
        raise EdgeopsError(f"nothing can be read in {directory}: {'; '.join(notes) or UNFINISHED}")
    kind = kind_of(directory.name) or result_file(directory).stem
    if stored is None:
        entries = list(computed.values())
        document: dict[str, Any] = {"schema": "edgeops.smoke/1", "run": directory.name, "hosts": entries}
        notes.append("there is no stored result: everything is computed from the records")
        return PastRun(directory.name, "smoke", directory, document, evidence, (), tuple(notes))
    if kind == "tune":
        changed = [line for entry in stored["hosts"] for line in _tuned_differences(entry, evidence)]
        return PastRun(directory.name, kind, directory, stored, evidence, tuple(changed), tuple(notes))
    smokes = {_name(smoke): smoke for entry in stored["hosts"] if (smoke := _smoke_of(entry)) is not None}
    computed = {one.subject: _again(one, smokes.get(one.subject), notes) for one in evidence if one.entry is not None}
    differences = [line for smoke in smokes.values() for line in _differences(smoke, computed)]
    document = {**stored, "hosts": [_renewed(entry, computed) for entry in stored["hosts"]]}
    return PastRun(directory.name, kind, directory, document, evidence, tuple(differences), tuple(notes))


def _stored(directory: Path) -> tuple[dict[str, Any] | None, list[str]]:
    path = result_file(directory)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None, [f"{path.name} is missing"]
    except (OSError, ValueError, RecursionError):
        return None, [f"{path.name} is damaged"]
    hosts = found.get("hosts") if isinstance(found, dict) else None
    if not isinstance(hosts, list) or not all(isinstance(host, dict) for host in hosts):
        return None, [f"{path.name} is damaged: it has no hosts"]
    return found, []


def _smoke_of(entry: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The smoke in an entry: the entry itself in a smoke's result, what is inside in a deploy's."""
    if "workloads" in entry:
        return entry
    inside = entry.get("smoke")
    return inside if isinstance(inside, dict) else None


def _tuned_differences(entry: Mapping[str, Any], evidence: Sequence[Evidence]) -> Iterator[str]:
    """Of each method that was tried on one host."""
    for smoke in entry.get("sweeps") or ():
        method = smoke["server"]["speculative_method"]
        given = [one for one in evidence if one.entry and one.entry["server"]["speculative_method"] == method]
        yield from _differences(smoke, {one.subject: one.entry for one in given})


def _again(now: Evidence, smoke: Mapping[str, Any] | None, notes: list[str]) -> dict[str, Any]:
    """The entry that the records give, held against the same earlier run and the same gates as the stored one."""
    assert now.entry is not None
    regression, held = (smoke or {}).get("regression"), (smoke or {}).get("gates")
    against = regression.get("against") if isinstance(regression, dict) else None
    last = _earlier(now, against) if isinstance(against, str) else None
    if against and last is None:
        notes.append(f"{now.subject}: the run {against} is gone, so the comparison with it cannot be computed again")
        held = None
    return comparing.compared(now.entry, now, last, _parsed(held))


def _earlier(now: Evidence, against: str) -> Evidence | None:
    if kind_of(against) is None:
        return None
    found = read_records(now.file.parent.parent / against / now.file.name)
    return found if found.entry is not None else None


def _parsed(stored: object) -> tuple[Gate, ...]:
    texts = [gate.get("gate") for gate in stored if isinstance(gate, dict)] if isinstance(stored, list) else []
    try:
        return tuple(gates.parse(text) for text in texts if isinstance(text, str))
    except gates.GateSyntaxError:
        return ()


def _renewed(entry: dict[str, Any], computed: Mapping[str, Any]) -> dict[str, Any]:
    smoke = _smoke_of(entry)
    fresh = computed.get(_name(smoke)) if smoke else None
    if smoke is None or fresh is None:
        return entry
    lost = {key: smoke[key] for key in ("regression", "gates") if key in smoke and key not in fresh}
    renewed = {**fresh, **lost, **{key: smoke[key] for key in _NOT_COMPUTED if key in smoke}}
    return renewed if smoke is entry else {**entry, "smoke": renewed}


def _differences(smoke: Mapping[str, Any] | None, computed: Mapping[str, Any]) -> Iterator[str]:
    if smoke is None or smoke.get("error"):
        return
    name = _name(smoke)
    if name not in computed:
        yield f"{name}: its records are missing or hold no run, so nothing of it can be confirmed"
        return
    for key, value in smoke.items():
        gone = key in ("regression", "gates") and key not in computed[name]
        if key not in _NOT_COMPUTED and not gone:
            yield from _compare(f"{name}: {key}", value, computed[name].get(key))


def _compare(path: str, stored: Any, computed: Any) -> Iterator[str]:
    """Every leaf of ``stored`` that is another one in ``computed``. What only ``computed`` has is no difference."""
    if isinstance(stored, dict) and isinstance(computed, dict):
        for key, value in stored.items():
            if key in _SENTENCES:
                continue
            yield from _compare(f"{path} {key}", value, computed.get(key))
    elif isinstance(stored, list) and isinstance(computed, list):
        known = {_label(one, number): one for number, one in enumerate(computed)}
        for number, value in enumerate(stored):
            label = _label(value, number)
            yield from _compare(f"{path} {label}", value, known.get(label))
    elif not _equal(stored, computed):
        yield f"{path}: stored is {_said(stored)}, the records give {_said(computed)}"


def _equal(one: Any, other: Any) -> bool:
    numbers = [value for value in (one, other) if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) == 2:
        return bool(abs(one - other) <= _NEAR * max(abs(one), abs(other)))
    return type(one) is type(other) and bool(one == other)


def _label(value: Any, number: int) -> str:
    named = [
        value[key] for key in ("id", "name", "gate") if isinstance(value, dict) and isinstance(value.get(key), str)
    ]
    return named[0] if named else str(number + 1)


def _name(entry: Mapping[str, Any] | None) -> str:
    return str((entry or {}).get("host") or (entry or {}).get("url") or "?")


def _said(value: Any) -> str:
    text = "nothing" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else text[:119] + "…"
