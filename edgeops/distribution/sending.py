"""From a parcel on this machine to a directory on a host that holds exactly that, proven by hash, and its owner's.

rsync logs in as the inventory's user, who needs no rights beyond an own directory; what arrived there is hashed as
root and moved to its place by one rename. So a cut-off transfer is never taken for a whole one, and goes on later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from edgeops.distribution.parcel import Parcel
from edgeops.distribution.rsync import Transfer, run_rsync
from edgeops.engine import Session
from edgeops.engine.script import run_script
from edgeops.errors import EdgeopsError
from edgeops.locations import DEPLOYS

HASH_TIMEOUT_S = 3600.0
_PROGRAM = DEPLOYS / "on_host" / "received.py"


@dataclass(frozen=True)
class Place:
    """``directory`` of a host, and whose it becomes, as chown says it: ``0:0``, ``trtedge:`` with its own group.

    ``renew``: what is there already may be replaced; otherwise a directory that holds something else is refused, for
    somebody may be using it. ``arrival``: where the login user may write while it is on its way; beside it by default.
    """

    directory: str
    owner: str = "0:0"
    renew: bool = False
    arrival: str = ""

    @property
    def incoming(self) -> str:
        return self.arrival or f"{self.directory}.incoming"


def send(session: Session, parcel: Parcel, place: Place) -> int:
    """Bring ``parcel`` to ``place`` on the host; returns the bytes that had to be sent, 0 where all was there.

    Raises EdgeopsError.
    """
    found = _ask(session, "look", parcel, place)
    if not found["wrong"]:
        return 0
    if found["there"] and not place.renew:
        different = _some(found["wrong"])
        raise EdgeopsError(
            f"{place.directory} on the host is not what it is on this machine: {different}",
            "Give the new files another directory, or remove the one on the host.",
        )
    _prepare(session, parcel, place)
    sent = 0
    for thorough in (False, True):
        transfer = Transfer(parcel.directory, session.host, session.login, place.incoming, thorough)
        sent += run_rsync(transfer, session.access)
        wrong = _ask(session, "accept", parcel, place)["wrong"]
        if not wrong:
            return sent
        _ask(session, "prepare", parcel, place)
    raise EdgeopsError(f"sent twice, and still not the same on the host: {_some(wrong)}", _DISK)


_DISK = "Look at the host's disk: `dmesg`, and smartctl or nvme for its health."


def _prepare(session: Session, parcel: Parcel, place: Place) -> None:
    ready = _ask(session, "prepare", parcel, place)
    if not ready["rsync"]:
        raise EdgeopsError("rsync is not installed on the host", "Install it there: sudo apt-get install rsync.")
    if ready["free"] < parcel.size:
        room = f"{parcel.size / 1e9:.1f} GB, {ready['free'] / 1e9:.1f} GB are free"
        raise EdgeopsError(f"{place.directory} needs {room} there or where it arrives, {place.incoming}")


def _ask(session: Session, verb: str, parcel: Parcel, place: Place) -> dict[str, Any]:
    heard: dict[str, Any] = {}
    where = {"place": place.directory, "incoming": place.incoming, "login": session.login, "owner": place.owner}
    plan: dict[str, Any] = {"verb": verb, **where, "files": dict(parcel.files), "renew": place.renew}
    answer = run_script(session, _PROGRAM, plan, heard.update, timeout=HASH_TIMEOUT_S, sudo=True)
    if heard.get("event") != verb:
        said = (answer.err or answer.out).strip().splitlines()
        raise EdgeopsError(
            f"what was sent to {place.directory} could not be looked at: {said[-1] if said else 'no answer'}"
        )
    return heard


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
