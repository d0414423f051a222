"""``--apply``: the choice into the inventory, and from there onto the host by an ordinary deploy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from edgeops.deployment import Options, Reach, deploy
from edgeops.deployment.phases import Listener
from edgeops.errors import ConfigurationError
from edgeops.inventory import Host
from edgeops.inventory.editing import lines
from edgeops.inventory.writing import write_settings
from edgeops.tune.outcome import HostTuning


@dataclass(frozen=True)
class Applied:
    """Where the choice goes. ``inventory`` None: the hosts were named without one."""

    inventory: Path | None
    reach: Reach
    tell: Listener


def apply(tunings: Sequence[HostTuning], into: Applied) -> None:
    """Write what is to be changed, deploy to the hosts it is changed for, and say for each host what became of it."""
    changed = [host for one in tunings if (host := _written(one, into.inventory)) is not None]
    if not changed:
        return
    done = deploy(changed, Options(smoke="never"), into.reach, into.tell)
    for one in tunings:
        report = next((report for report in done.hosts if report.host == one.host.name), None)
        if report is not None:
            one.applied = f"{one.applied}; {report.outcome.replace('_', ' ')}"
            one.failed = not report.ok
            if report.error is not None:
                one.applied += f": {report.error.message}. The inventory has the new value, the host not yet"


def _written(one: HostTuning, inventory: Path | None) -> Host | None:
    """The host with its new settings; None where nothing was written, which ``applied`` explains."""
    if not one.changes:
        undecided = one.error or one.choice.answer == "inconclusive"
        one.applied = "nothing is written: no decision" if undecided else "nothing is written: it has this setting"
        return None
    if inventory is None:
        one.applied = "not written: the host was named without an inventory"
        return None
    try:
        hosts = write_settings(inventory, one.host.name, one.changes)
    except (ConfigurationError, OSError) as error:
        one.applied = f"not written: {error}"
        one.failed = isinstance(error, OSError)
        return None
    one.applied = f"written into {inventory}: {', '.join(lines(one.changes))}"
    return next(host for host in hosts if host.name == one.host.name)
