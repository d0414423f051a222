"""The sweep of each host, its decision, and the record of it on the host."""

from __future__ import annotations

import getpass
import json
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone

from edgeops import layout, tuning
from edgeops.engine import Session
from edgeops.errors import EdgeopsError
from edgeops.inventory import Host
from edgeops.quoting import shell
from edgeops.runs import Run
from edgeops.smoke import Options, Reach
from edgeops.sweep import Course, HostSweep, Plan, Swept, on_hosts
from edgeops.tune.outcome import HostTuning, decide


@dataclass(frozen=True)
class Wanted:
    """What is tried: every k with every method. ``methods`` None: the one that the host's settings say."""

    ks: tuple[int, ...]
    methods: tuple[str, ...] | None = None
    vanilla: bool = False
    options: Options = field(default_factory=Options)

    @property
    def plan(self) -> Plan:
        return Plan(self.ks, self.methods, self.vanilla, self.options, purpose="tune", guarded=True)


def tune(
    hosts: Sequence[Host], wanted: Wanted, run: Run, tell: Callable[[str, str], None], reach: Reach
) -> tuple[list[HostTuning], Swept]:
    """Sweep, decide, and keep the decision on each host. Production serves again afterwards, unchanged."""
    tunings = {host.name: HostTuning(host) for host in hosts}

    def conclude(session: Session, sweep: HostSweep) -> None:
        mine = tunings[session.host.name]
        mine.sweeps = sweep.results
        decide(mine)
        _record(session, sweep, mine)

    swept = on_hosts(hosts, Course(wanted.plan, run, tell, conclude), reach)
    for name, mine in tunings.items():
        mine.state = swept.states[name]
        failed = [entry["error"] for entry in swept.entries[name] if entry.get("error")]
        mine.error = failed[0] if failed else None
    return list(tunings.values()), swept


def _record(session: Session, sweep: HostSweep, mine: HostTuning) -> None:
    """Keep the choice on the host with what it rests on; without a decision what was kept before stays."""
    if mine.choice.answer == "inconclusive" or sweep.production is None:
        return
    production, method = sweep.production, mine.choice.method or "off"
    served = sweep.tried.get(method)
    rests_on = tuning.fingerprint(production.facts, served.declared if served else production.declared)
    rests_on |= {"method": method, "k": str(mine.choice.k or 0)} | (
        {} if served or method == "off" else {"draft": None}
    )
    chosen = {
        "run": sweep.run.name,
        "at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "by": f"{getpass.getuser()}@{socket.gethostname()}",
        "method": method,
        "k": mine.choice.k,
        "reason": mine.choice.reason,
    }
    content = json.dumps(tuning.record(chosen, rests_on), indent=2, ensure_ascii=False) + "\n"
    path = shell(layout.TUNING_FILE)
    answer = session.run(f"cat > {path}.new && chmod 644 {path}.new && mv {path}.new {path}", sudo=True, stdin=content)
    if answer.rc:
        raise EdgeopsError(f"the choice could not be kept on the host: {answer.err.strip()[-200:]}")
