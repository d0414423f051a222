"""What is kept on the host about a verified service: its record, and the files it ran from, for a rollback."""

from __future__ import annotations

import getpass
import json
import socket
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from edgeops import layout
from edgeops.deployment.context import Work
from edgeops.deployment.serving import wanted
from edgeops.deployment.staging import wishes
from edgeops.desired import Checkpoint, Declared, Service
from edgeops.quoting import shell
from edgeops.server import Proof
from edgeops.snapshot.facts import Facts

SCHEMA = "edgeops.state/1"
KEPT_DEPLOYMENTS = 5
KEPT_RELEASES = 3
"""The running one, the previous one, and one more."""

Entry = Mapping[str, Any]


def record(work: Work, declared: Declared, service: Service, proof: Proof) -> None:
    """Keep what this service ran from and the record of it; drop what is too old."""
    now = datetime.now(timezone.utc)
    entry = {
        "deployment": f"{now:%Y%m%d-%H%M%S}-{service.identity[:8]}",
        "at": now.isoformat(timespec="seconds"),
        "by": f"{getpass.getuser()}@{socket.gethostname()}",
        **_content(work, declared, service, proof),
    }
    write(work, entry)
    work.report.deployment = entry["deployment"]


def write(work: Work, entry: Entry) -> None:
    """Make ``entry`` the record: the newest of the host's history, which is kept as far as rollback may go."""
    history = merged(entry, work.found.state)
    state = {"schema": SCHEMA, **entry, "history": [_summary(older) for older in history]}
    work.session.deploy(
        "record",
        edgeops_state=json.dumps(state, indent=2) + "\n",
        edgeops_deployment=f"{layout.DEPLOYMENTS}/{entry['deployment']}",
        edgeops_stale=_stale(work, history),
    )


def machine_facts(facts: Facts) -> dict[str, str | int | None]:
    """What a verified service rests on besides TensorRT and the GPU; None where the host did not say."""
    loaded = next((gpu.driver for gpu in facts.gpus or ()), None)
    return {
        "driver": facts.driver_module or loaded,
        "kernel": facts.kernel.release if facts.kernel else None,
        "power_mode": facts.power.name if facts.power else None,
        "power_mode_id": facts.power.id if facts.power else None,
    }


def surroundings(work: Work) -> dict[str, Any]:
    """What is not edgeops' own and belongs to a verified service all the same."""
    assert work.facts is not None
    return {"machine": machine_facts(work.facts), "drop_ins": work.found.drop_in_digests}


def moved(work: Work) -> Entry | None:
    """The host's record with the surroundings of now; None where they are those that are recorded."""
    state, now = work.found.state, surroundings(work)
    if "deployment" not in state or all(state.get(key) == value for key, value in now.items()):
        return None
    return {**{key: value for key, value in state.items() if key not in ("schema", "history")}, **now}


def merged(entry: Entry, state: Mapping[str, Any]) -> list[Entry]:
    """Deployments by the time they last served, ``entry`` first, each identity once, bounded by count and releases."""
    kept, releases = [entry], [entry["release"]]
    for older in entries(state):
        known = any(older.get("identity") == newer.get("identity") for newer in kept)
        if older["release"] not in releases and len(releases) < KEPT_RELEASES:
            releases.append(older["release"])
        if not known and older["release"] in releases and len(kept) < KEPT_DEPLOYMENTS:
            kept.append(older)
    return kept


def entries(state: Mapping[str, Any]) -> list[Entry]:
    """The history of a record, newest first; what is malformed in it is passed over."""
    history = state.get("history")
    rows = history if isinstance(history, list) else []
    return [row for row in rows if isinstance(row, Mapping) and {"deployment", "release", "identity"} <= set(row)]


def forget_kept(work: Work) -> None:
    """Drop what a switch kept aside, where the run died after its record: a later undo must not go back that far."""
    work.session.run(shell("rm", "-rf", layout.UNDO), sudo=True)


def _stale(work: Work, history: Sequence[Entry]) -> list[str]:
    releases = {str(entry["release"]) for entry in history}
    deployments = {str(entry["deployment"]) for entry in history}
    return [
        *(layout.release_directory(name) for name in work.found.releases if name not in releases),
        *(f"{layout.DEPLOYMENTS}/{name}" for name in work.found.deployments if name not in deployments),
    ]


def _summary(entry: Entry) -> dict[str, Any]:
    return {key: entry.get(key) for key in ("deployment", "at", "release", "version", "method", "k", "identity")}


def _content(work: Work, declared: Declared, service: Service, proof: Proof) -> dict[str, Any]:
    settings, serving = work.settings, wanted(work.settings, service)
    asked = {wish.source: wish.revision for wish in wishes(settings)}
    return {
        "identity": service.identity,
        "release": declared.release.name,
        "version": settings.edgellm_version,
        "method": service.method,
        "k": settings.k if settings.speculative else None,
        "tensorrt": declared.machine.tensorrt,
        "sm": declared.machine.sm,
        "checkpoints": [_checkpoint(checkpoint, asked.get(checkpoint.source)) for checkpoint in declared.checkpoints],
        "serving": {
            "address": serving.endpoint.address,
            "port": serving.endpoint.port,
            "keyed": serving.endpoint.keyed,
            "name": serving.expected.name,
            "method": serving.expected.method,
        },
        "proof": {"completion_tokens": proof.completion_tokens, "known_answer": proof.knows_the_answer},
        **surroundings(work),
    }


def _checkpoint(checkpoint: Checkpoint, asked: str | None) -> dict[str, Any]:
    return {
        "source": checkpoint.source,
        "asked": asked,
        "revision": checkpoint.revision,
        "directory": checkpoint.directory,
        "fingerprint": checkpoint.fingerprint,
        "bytes": checkpoint.size,
    }
