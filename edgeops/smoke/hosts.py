"""The benchmark on hosts: the probe runs there, so that what it times never crosses SSH."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from edgeops import engine
from edgeops.bench import probe as probe_file
from edgeops.bench.decision import Asked
from edgeops.bench.procedure import Target
from edgeops.engine import Access, HostResult, Session
from edgeops.engine.script import run_script
from edgeops.errors import ConfigurationError, EdgeopsError
from edgeops.inventory import Host
from edgeops.runs import Run
from edgeops.smoke.keeping import Subject, Tell
from edgeops.smoke.measurement import Options, measure_subject
from edgeops.snapshot import Answer

PROBE = Path(probe_file.__file__)

LONGEST_S = 4 * 3600.0
"""For one host, connecting included; each request has a deadline of its own."""


def measure(session: Session, options: Options, run: Run, tell: Tell) -> dict[str, Any]:
    """Measure the server of a connected host; records go to ``run``. Raises EdgeopsError when nothing was measured."""

    def probe(plan: dict[str, Any], hear: Callable[[dict[str, Any]], None], seconds: float) -> Answer:
        return run_script(session, PROBE, plan, hear, timeout=seconds)

    return measure_subject(_subject(session.host, options), probe, options, run, tell)


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
        target=Target(address, settings.port, key=read_key(settings.api_key_file)),
        host=host.name,
        served_name=settings.name_served,
        remedy=f"Is it deployed? `edgeops deploy {host.name}`; its journal: `edgeops logs {host.name}`.",
    )


def read_key(path: Path | None) -> str:
    """The API key in ``path``, or an empty text without one. Raises EdgeopsError; never shows what the file holds."""
    if path is None:
        return ""
    try:
        key = path.expanduser().read_text(encoding="ascii").strip()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it holds more than ASCII"
        raise EdgeopsError(f"the API key file {path} cannot be read: {why}") from None
    if not key or not key.isprintable() or " " in key:
        raise EdgeopsError(f"the API key file {path} does not hold one key on one line")
    return key
