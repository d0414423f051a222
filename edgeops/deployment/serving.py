"""From the switch to a verified service, and back again when it does not come up."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from edgeops import server
from edgeops.deployment.context import StartFailed, Work
from edgeops.deployment.phases import PhaseNotes
from edgeops.desired import Declared, Service
from edgeops.engine.declared import KEY
from edgeops.engine.service_files import RESTART_NAME
from edgeops.engine.session import OperationFailed, Session
from edgeops.secret_files import read_secret
from edgeops.server import Endpoint, Expected
from edgeops.settings import Settings


@dataclass(frozen=True)
class Serving:
    """A service as it can be reached and must speak of itself; ``ready_s`` is how long it may take to get there."""

    endpoint: Endpoint
    expected: Expected
    ready_s: float


def wanted(settings: Settings, service: Service) -> Serving:
    """The service of these settings."""
    endpoint = Endpoint(settings.bind, settings.port, settings.api_key_file is not None)
    return Serving(endpoint, Expected(service.name, service.method), settings.ready_timeout_s)


def recorded(state: Mapping[str, Any], ready_s: float) -> Serving | None:
    """The service that was verified last, as its record tells; None where it tells nothing usable."""
    serving = state.get("serving")
    if not isinstance(serving, Mapping):
        return None
    try:
        endpoint = Endpoint(str(serving["address"]), int(serving["port"]), bool(serving["keyed"]))
        return Serving(endpoint, Expected(str(serving["name"]), str(serving["method"])), ready_s)
    except (KeyError, TypeError, ValueError):
        return None


def switch(work: Work, declared: Declared) -> None:
    """Write what the service runs from and restart it; what was there is kept aside first.

    Raises StartFailed with the unit's own last lines where not even its start went well.
    """
    try:
        work.session.deploy("service", **{KEY: declared}, **_key_data(work))
    except OperationFailed as failure:
        service = declared.service
        if service is None or not failure.message.startswith(f"{RESTART_NAME}:"):
            raise
        come_up(work.session, wanted(work.settings, service), PhaseNotes(work.log, "switch"))
        raise


def _key_data(work: Work) -> dict[str, Any]:
    return {
        "edgeops_api_key": read_secret(work.settings.api_key_file) or None,
        "edgeops_key_sha256": work.found.key_sha256,
    }


def key_digest(settings: Settings) -> str | None:
    """What the key file on the host must hash to; None for no key. Raises EdgeopsError."""
    key = read_secret(settings.api_key_file)
    return hashlib.sha256(key.encode()).hexdigest() if key else None


def come_up(session: Session, serving: Serving, notes: PhaseNotes) -> None:
    """Wait until the server answers on its port. Raises StartFailed with its own last lines."""
    readiness = server.await_ready(session, serving.endpoint, serving.ready_s, notes.say)
    if readiness.outcome == "ready":
        notes.detail = f"answers on {serving.endpoint.address}:{serving.endpoint.port}"
        return
    cause = readiness.cause
    what = "the server died" if readiness.outcome == "died" else f"the server was not ready after {serving.ready_s:g} s"
    raise StartFailed(f"{what}: {cause}", cause.remedy, readiness.log[-20:])


def verify(session: Session, serving: Serving, notes: PhaseNotes) -> server.Proof:
    """Prove that it is the right server and that it generates. Raises StartFailed."""
    proof = server.prove(session, serving.endpoint, serving.expected)
    if not proof.ok:
        raise StartFailed("; ".join(proof.problems), "Read `journalctl -u trtedge` on the host.")
    if not proof.knows_the_answer:
        raise StartFailed(
            f"it serves, and talks nonsense: asked {server.QUESTION!r} it said {proof.text[:80]!r}", _NONSENSE
        )
    method = serving.expected.method
    decoding = method if method != "none" else "plain decoding"
    notes.detail = f"{decoding}, {proof.completion_tokens} tokens, known answer right"
    return proof


_NONSENSE = "A kernel or precision that does not fit the GPU is the usual cause: look for the same with method: off."
