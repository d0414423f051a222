"""``edgeops status``: what serves where, whether it really does, and what is not as it was declared or verified.

Changes nothing, on no host.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from edgeops import engine
from edgeops.engine import Access, HostResult
from edgeops.inventory import Host
from edgeops.requirements import refuse_unknown_ids
from edgeops.status.comparing import drifts, notes
from edgeops.status.drift import Drift
from edgeops.status.looking import look
from edgeops.status.past import last_smokes
from edgeops.status.peers import peer_drifts
from edgeops.status.result import HostStatus, Status, document
from edgeops.status.seen import Seen

__all__ = ["Drift", "HostStatus", "Status", "document", "status"]

DEADLINE_S = 480.0
"""For one host: connecting, three commands, and a generation behind others in the queue."""


def status(hosts: Sequence[Host], access: Access, parallel: int, *, proof: bool = True) -> Status:
    """Look at each host, side by side, and compare. Raises ConfigurationError."""
    interrupted = False
    for host in hosts:
        refuse_unknown_ids(host.settings)
    try:
        results = engine.run(hosts, partial(look, proof=proof), deadline=DEADLINE_S, parallel=parallel, access=access)
    except engine.Interrupted as stopped:
        interrupted, results = True, stopped.results
    like = peer_drifts([result.value for result in results.values() if result.value is not None])
    smokes = last_smokes([host.name for host in hosts])
    return Status(tuple(_status(results[host.name], like, smokes) for host in hosts), interrupted)


def _status(
    result: HostResult[Seen], like: Mapping[str, tuple[Drift, ...]], smokes: Mapping[str, dict[str, Any]]
) -> HostStatus:
    name, seen = result.host.name, result.value
    if seen is None:
        return HostStatus(
            name,
            last_smoke=smokes.get(name),
            error=result.error or f"not asked ({result.status})",
            remedy=_remedy(result),
        )
    return HostStatus(name, seen, (*drifts(seen), *like.get(name, ())), notes(seen), smokes.get(name))


def _remedy(result: HostResult[Seen]) -> str:
    return result.remedy or f"edgeops check {result.host.name}"
