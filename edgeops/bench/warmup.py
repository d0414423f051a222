"""Whether warming up came to an end: the last two requests of an arm alike, or all of them sent and still apart."""

from __future__ import annotations

from edgeops.bench import figures
from edgeops.bench.procedure import MOST_WARMUPS, STEADY
from edgeops.bench.records import Records


def unsettled(records: Records) -> tuple[tuple[str, str], ...]:
    """(workload, arm) of each whose last two warm-ups still differed by 3 % or more when no more were sent."""
    if records.header is None:
        return ()
    pairs = [(workload, arm) for workload in records.header.workloads for arm in records.header.arms]
    return tuple(pair for pair in pairs if _wanders(records, *pair))


def _wanders(records: Records, workload: str, arm: str) -> bool:
    sent = records.of("warmup", workload, arm)
    rates = [figures.decode_tok_s(request, None) for request in sent]
    if len(sent) < MOST_WARMUPS or not rates[-1] or not rates[-2]:
        return False
    return abs(rates[-1] - rates[-2]) >= STEADY * rates[-2]
