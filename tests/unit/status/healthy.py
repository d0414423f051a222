"""A host on which everything is as declared, recorded and verified; tests change one thing of it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from edgeops.deployment.recording import machine_facts
from edgeops.deployment.survey import CheckpointFound, Found
from edgeops.desired import Declared
from edgeops.inventory import Host
from edgeops.requirements import judge, platform_of
from edgeops.server import Health, Proof
from edgeops.settings import Settings
from edgeops.snapshot import Snapshot
from edgeops.snapshot.facts import Facts, facts_of
from edgeops.status import declaring
from edgeops.status.comparing import drifts
from edgeops.status.drift import Drift
from edgeops.status.seen import Process, Running, Seen
from tests.data.answers import SPARK, Answers, said

SETTINGS = Settings(model="/srv/model", draft_model="/srv/draft")
UNIT = {
    "LoadState": "loaded",
    "ActiveState": "active",
    "SubState": "running",
    "MainPID": "4711",
    "NRestarts": "0",
    "Result": "success",
    "UnitFileState": "enabled",
    "NeedDaemonReload": "no",
    "ActiveEnterTimestamp": "Mon 2026-11-30 18:00:00 UTC",
}
CHECKPOINTS = [
    {"source": "/srv/model", "directory": "/srv/model", "revision": None, "fingerprint": "f" * 64, "bytes": 2000},
    {"source": "/srv/draft", "directory": "/srv/draft", "revision": None, "fingerprint": "d" * 64, "bytes": 100},
]
PYTHON = "/opt/edgeops/releases/x/venv/bin/python"


def healthy(name: str = "spark-01", answers: Answers = SPARK, **unit: str) -> Seen:
    """``unit``: properties of the service that are other than those of a healthy one."""
    told = answers | {"edgeops": said(json.dumps({"state": {}, "unit": UNIT | unit, "current": None, "models": {}}))}
    snapshot = Snapshot(name, "2026-11-30T18:00:00+00:00", False, told)
    facts = facts_of(snapshot)
    state, declared, found = _deployed(facts)
    assert declared.service is not None
    return Seen(
        host=Host(name, "192.0.2.1", settings=SETTINGS),
        snapshot=snapshot,
        facts=facts,
        platform=platform_of(facts),
        verdicts=judge(snapshot, SETTINGS),
        found=replace(found, state=state | {"identity": declared.service.identity}),
        running=Running(
            Process(4711, (PYTHON, *declared.service.arguments), declared.release.name),
            {"fastapi": ("0.1", "0.1"), "av": ("14.0", "14.0")},
            declared.service.unit,
        ),
        health=Health(True, "dspark", SETTINGS.name_served),
        proof=Proof((), "Paris", "stop", 3, True),
        declared=declared,
    )


def _deployed(facts: Facts) -> tuple[dict[str, Any], Declared, Found]:
    state = {
        "deployment": "20261130-180000-abcdef01",
        "at": "2026-11-30T18:00:00+00:00",
        "by": "op@desk",
        "method": "dspark",
        "k": 3,
        "tensorrt": facts.tensorrt,
        "sm": (facts.capability or "").replace(".", ""),
        "checkpoints": CHECKPOINTS,
        "serving": {"address": "127.0.0.1", "port": 8000, "keyed": False, "name": "model", "method": "dspark"},
        "proof": {"completion_tokens": 3, "known_answer": True},
        "machine": machine_facts(facts),
        "drop_ins": {},
    }
    there = {str(one["directory"]): CheckpointFound("{}", str(one["fingerprint"]), one["bytes"]) for one in CHECKPOINTS}
    found = Found(checkpoints=there, user=True, active=True)
    declared = declaring.with_service(declaring.declare(SETTINGS, facts, state), found, state)
    service = declared.service
    assert service is not None
    state["release"] = declared.release.name
    found = replace(
        found,
        unit=service.unit,
        environment=service.environment,
        current=declared.release.directory,
        release=declared.release.marker,
    )
    return state, declared, found


def recorded(seen: Seen, **changed: object) -> Seen:
    """With another record."""
    return replace(seen, found=replace(seen.found, state={**seen.state, **changed}))


def there(seen: Seen, **changed: Any) -> Seen:
    """With other things found on the host."""
    return replace(seen, found=replace(seen.found, **changed))


def running(seen: Seen, **changed: Any) -> Seen:
    """With something else running."""
    return replace(seen, running=replace(seen.running, **changed))


def only(seen: Seen) -> Drift:
    """The one thing that has drifted."""
    (drift,) = drifts(seen)
    return drift


def names(seen: Seen) -> list[str]:
    return [drift.what for drift in drifts(seen)]
