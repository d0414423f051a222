"""The benchmark on hosts: the probe runs there, so that what it times never crosses SSH."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from edgeops import engine
from edgeops.bench.decision import Asked
from edgeops.bench.procedure import Target
from edgeops.engine import Access, HostResult, Session
from edgeops.engine.forward import forwarded
from edgeops.engine.script import run_script
from edgeops.errors import ConfigurationError
from edgeops.inventory import Host
from edgeops.runs import Run
from edgeops.secret_files import read_secret
from edgeops.smoke.keeping import Subject, Tell
from edgeops.smoke.local import PROBE, run_probe
from edgeops.smoke.measurement import Options, measure_subject
from edgeops.snapshot import Answer

FLOOR_SHARE = 0.5
"""Of ``memory_reserve_gib``: a run is stopped when less is available. At five samples a second and the fastest fall
that has been seen, 14 GiB/s, some 3 GiB go between two samples (https://github.com/NVIDIA/dgx-spark-playbooks/issues/97)."""

SIMULATED = "/etc/edgeops-lab"

LONGEST_S = 4 * 3600.0
"""For one host, connecting included; each request has a deadline of its own."""


def measure(session: Session, options: Options, run: Run, tell: Tell) -> dict[str, Any]:
    """Measure the server of a connected host; records go to ``run``. Raises EdgeopsError when nothing was measured."""

    subject = _subject(session.host, options)
    return (_from_here if options.client else _beside_the_server)(session, subject, options, run, tell)


def _beside_the_server(session: Session, subject: Subject, options: Options, run: Run, tell: Tell) -> dict[str, Any]:
    def probe(plan: dict[str, Any], hear: Callable[[dict[str, Any]], None], seconds: float) -> Answer:
        return run_script(session, PROBE, plan, hear, timeout=seconds)

    floor = session.host.settings.memory_reserve_gib * FLOOR_SHARE
    return measure_subject(replace(subject, on_host=True, memory_floor_gib=floor), probe, options, run, tell)


def _from_here(session: Session, subject: Subject, options: Options, run: Run, tell: Tell) -> dict[str, Any]:
    """With the probe in a process of this machine: what a client sees, the connection included and never subtracted."""
    simulated = session.run(f"test -e {SIMULATED}").rc == 0
    with forwarded(session, subject.target.address, subject.target.port) as way:
        tell(f"measuring from here: the way there and back takes {way.round_trip_ms:.1f} ms, and nothing is subtracted")
        near = replace(
            subject,
            target=replace(subject.target, address="127.0.0.1", port=way.port),
            simulated=simulated,
            round_trip_ms=way.round_trip_ms,
        )
        return measure_subject(near, run_probe, options, run, tell)


@dataclass(frozen=True)
class Reach:
    """How hosts are reached: so many at once, and what the operator decided about entering them."""

    parallel: int = 20
    access: Access = field(default_factory=Access)


def on_hosts(
    hosts: Sequence[Host], options: Options, run: Run, tell: Callable[[str, str], None], reach: Reach
) -> list[dict[str, Any]]:
    """One entry a host, in the order given; a host that could not be measured has ``error`` in its entry.

    ``tell`` takes the host's name and a sentence. Raises ConfigurationError when the options fit none of the hosts.
    """

    def work(session: Session) -> dict[str, Any]:
        return measure(session, options, run, partial(tell, session.host.name))

    results = engine.run(hosts, work, deadline=LONGEST_S, parallel=reach.parallel, access=reach.access)
    causes = [result.cause for result in results.values()]
    misfits = [cause for cause in causes if isinstance(cause, ConfigurationError)]
    if misfits and len(misfits) == len(causes):
        raise misfits[0]
    return [_entry(results[host.name]) for host in hosts]


def _entry(result: HostResult[dict[str, Any]]) -> dict[str, Any]:
    return result.value or unmeasured(result.host.name, result.error, result.remedy)


def unmeasured(host: str, message: str, remedy: str) -> dict[str, Any]:
    """The entry of a host that could not be measured."""
    return {
        "host": host,
        "simulated": False,
        "server": None,
        "workloads": [],
        "guards": [],
        "verdict": "inconclusive",
        "records": None,
        "error": {"message": message, "remedy": remedy},
    }


def _subject(host: Host, options: Options) -> Subject:
    settings = host.settings
    asked = Asked(host.name, options.k, options.method, settings.method, settings.k)
    address = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.bind, settings.bind)
    return Subject(
        asked=asked,
        target=Target(address, settings.port, key=read_secret(settings.api_key_file)),
        host=host.name,
        served_name=settings.name_served,
        remedy=f"Is it deployed? `edgeops deploy {host.name}`; its journal: `edgeops logs {host.name}`.",
    )
