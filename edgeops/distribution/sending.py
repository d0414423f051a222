"""From a parcel on this machine to a directory on a host that holds exactly that, proven by hash, and root's.

rsync logs in as the inventory's user, who needs no rights beyond an own directory; what arrived there is hashed as
root and moved to its place by one rename. So a cut-off transfer is never taken for a whole one, and goes on later.
"""

from __future__ import annotations

from typing import Any

from edgeops.distribution.parcel import Parcel
from edgeops.distribution.rsync import Transfer, run_rsync
from edgeops.engine import Session
from edgeops.engine.script import run_script
from edgeops.errors import EdgeopsError
from edgeops.locations import DEPLOYS

HASH_TIMEOUT_S = 3600.0
_PROGRAM = DEPLOYS / "on_host" / "received.py"


def send(session: Session, parcel: Parcel, place: str, *, renew: bool) -> int:
    """Bring ``parcel`` to ``place`` on the host; returns the bytes that had to be sent, 0 where all was there.

    ``renew``: what is there already may be replaced; otherwise a ``place`` that holds something else is refused, for
    somebody may be using it. Raises EdgeopsError.
    """
    found = _ask(session, "look", parcel, place, renew)
    if not found["wrong"]:
        return 0
    if found["there"] and not renew:
        different = _some(found["wrong"])
        raise EdgeopsError(
            f"{place} on the host is not what it is on this machine: {different}",
            "Give the new files another directory, or remove the one on the host.",
        )
    _prepare(session, parcel, place, renew)
    sent = 0
    for thorough in (False, True):
        transfer = Transfer(parcel.directory, session.host, session.login, _incoming(place), thorough)
        sent += run_rsync(transfer, session.access)
        wrong = _ask(session, "accept", parcel, place, renew)["wrong"]
        if not wrong:
            return sent
        _ask(session, "prepare", parcel, place, renew)
    raise EdgeopsError(f"sent twice, and still not the same on the host: {_some(wrong)}", _DISK)


_DISK = "Look at the host's disk: `dmesg`, and smartctl or nvme for its health."


def _prepare(session: Session, parcel: Parcel, place: str, renew: bool) -> None:
    ready = _ask(session, "prepare", parcel, place, renew)
    if not ready["rsync"]:
        raise EdgeopsError("rsync is not installed on the host", "Install it there: sudo apt-get install rsync.")
    if ready["free"] < parcel.size:
        raise EdgeopsError(f"{place} needs {parcel.size / 1e9:.1f} GB, {ready['free'] / 1e9:.1f} GB are free there")


def _ask(session: Session, verb: str, parcel: Parcel, place: str, renew: bool) -> dict[str, Any]:
    heard: dict[str, Any] = {}
    where = {"place": place, "incoming": _incoming(place), "login": session.login, "owner": "0:0"}
    plan: dict[str, Any] = {"verb": verb, **where, "files": dict(parcel.files), "renew": renew}
    answer = run_script(session, _PROGRAM, plan, heard.update, timeout=HASH_TIMEOUT_S, sudo=True)
    if heard.get("event") != verb:
        said = (answer.err or answer.out).strip().splitlines()
        raise EdgeopsError(f"what was sent to {place} could not be looked at: {said[-1] if said else 'no answer'}")
    return heard


def _incoming(place: str) -> str:
    return f"{place}.incoming"


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
