"""What is kept on the host about a verified service: ``state.json``, which the next run, rollback and status read."""

from __future__ import annotations

import getpass
import json
import socket
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from edgeops import layout
from edgeops.deployment.context import Work
from edgeops.deployment.serving import wanted
from edgeops.deployment.staging import wishes
from edgeops.desired import Checkpoint, Declared, Service
from edgeops.quoting import shell
from edgeops.server import Proof

SCHEMA = "edgeops.state/1"
KEPT_RELEASES = 3
"""The running one, the previous one, and one more."""


def record(work: Work, declared: Declared, service: Service, proof: Proof) -> None:
    """Write the record, drop releases that are too old, and forget what the switch replaced."""
    history = release_history(work.state, declared.release.name)
    state = {
        "schema": SCHEMA,
        "deployed_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "deployed_by": f"{getpass.getuser()}@{socket.gethostname()}",
        "history": history,
        **_content(work, declared, service, proof),
    }
    stale = [name for name in work.found.releases if name not in history]
    text = json.dumps(state, indent=2) + "\n"
    work.session.deploy("record", edgeops_state=text, edgeops_stale_releases=stale)


def forget_kept(work: Work) -> None:
    """Drop what a switch kept aside, where the run died after its record: a later undo must not go back that far."""
    work.session.run(shell("rm", "-rf", layout.UNDO), sudo=True)


def release_history(state: Mapping[str, Any], current: str) -> list[str]:
    """Releases by the time they last served, the running one first; at most KEPT_RELEASES."""
    before = state.get("history")
    older = [str(name) for name in before if name != current] if isinstance(before, list) else []
    return [current, *older][:KEPT_RELEASES]


def _content(work: Work, declared: Declared, service: Service, proof: Proof) -> dict[str, Any]:
    settings, serving = work.settings, wanted(work.settings, service)
    asked = {wish.source: wish.revision for wish in wishes(settings)}
    return {
        "identity": service.identity,
        "release": declared.release.name,
        "version": settings.edgellm_version,
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
    }


def _checkpoint(checkpoint: Checkpoint, asked: str | None) -> dict[str, Any]:
    return {
        "source": checkpoint.source,
        "asked": asked,
        "revision": checkpoint.revision,
        "directory": checkpoint.directory,
        "fingerprint": checkpoint.fingerprint,
    }
