"""Before anything is switched: can the new release import TensorRT and select its payload on this machine?"""

from __future__ import annotations

from typing import Any

from edgeops import layout
from edgeops.deployment.phases import PhaseNotes
from edgeops.desired import Declared
from edgeops.engine import Session
from edgeops.engine.script import run_script
from edgeops.errors import EdgeopsError
from edgeops.locations import DEPLOYS

PROVE_TIMEOUT_S = 180.0
_REMEDY = "Run `edgeops check`: it says which part of the platform does not match this release."


def prove(session: Session, declared: Declared, notes: PhaseNotes) -> None:
    """Ask inside the venv, as the service user. Raises EdgeopsError with the vendor's own words."""
    found: dict[str, Any] = {}
    program, python = DEPLOYS / "on_host" / "prove.py", f"{declared.release.venv}/bin/python"
    answer = run_script(session, program, {}, found.update, timeout=PROVE_TIMEOUT_S, python=python, user=layout.USER)
    if found.get("event") != "proof":
        reason = (answer.err or answer.out).strip().splitlines()
        raise EdgeopsError(f"the release cannot be asked: {reason[-1] if reason else 'no answer'}", _REMEDY)
    if "error" in found:
        raise EdgeopsError(
            f"in the new release, as {layout.USER}: could not {found['step']}: {found['error']}", _REMEDY
        )
    if found.get("tensorrt") != declared.machine.tensorrt:
        seen = f"{found.get('tensorrt')} inside the release, {declared.machine.tensorrt} outside"
        raise EdgeopsError(f"TensorRT differs: {seen}", "Remove the other TensorRT from the release's venv.")
    notes.detail = f"TensorRT {found['tensorrt']}, payload {found['payload']}"
