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
from edgeops.quoting import shell

PROVE_TIMEOUT_S = 180.0
_REMEDY = "Run `edgeops check`: it says which part of the platform does not match this release."
_WHOLE = "find all its files"
"""The step of the program that looks for damage of the release itself."""


def _again(declared: Declared) -> str:
    marker = shell(f"{declared.release.directory}/release.json")
    return f"Have it installed anew: sudo rm {marker} on the host, and the same command again."


def prove(session: Session, declared: Declared, notes: PhaseNotes) -> None:
    """Ask inside the venv, as the service user. Raises EdgeopsError with the vendor's own words."""
    found: dict[str, Any] = {}
    program, python = DEPLOYS / "on_host" / "prove.py", f"{declared.release.venv}/bin/python"
    plan = {"packages": f"{declared.release.directory}/closure.json"}
    answer = run_script(session, program, plan, found.update, timeout=PROVE_TIMEOUT_S, python=python, user=layout.USER)
    if found.get("event") != "proof":
        reason = (answer.err or answer.out).strip().splitlines()
        raise EdgeopsError(f"the release cannot be asked: {reason[-1] if reason else 'no answer'}", _REMEDY)
    if "error" in found:
        cause = f"in the release {declared.release.name}, as {layout.USER}: could not {found['step']}: {found['error']}"
        raise EdgeopsError(cause, _again(declared) if found["step"] == _WHOLE else _REMEDY)
    if found.get("tensorrt") != declared.machine.tensorrt:
        seen = f"{found.get('tensorrt')} inside the release, {declared.machine.tensorrt} outside"
        raise EdgeopsError(f"TensorRT differs: {seen}", "Remove the other TensorRT from the release's venv.")
    notes.detail = f"TensorRT {found['tensorrt']}, payload {found['payload']}"
