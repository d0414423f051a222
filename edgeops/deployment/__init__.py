"""``edgeops deploy``: check, install, serve, prove, measure; undone on failure; a second run changes nothing."""

from __future__ import annotations

from collections.abc import Sequence

from edgeops.deployment.context import Options
from edgeops.deployment.flow import deploy_host
from edgeops.deployment.hosts import Batch, Reach, on_hosts
from edgeops.deployment.phases import Listener
from edgeops.deployment.report import document, exit_code
from edgeops.inventory import Host
from edgeops.requirements import refuse_unknown_ids
from edgeops.runs import new_run

__all__ = ["Batch", "Options", "Reach", "deploy", "deploy_host", "document", "exit_code"]


def deploy(hosts: Sequence[Host], options: Options, reach: Reach, tell: Listener) -> Batch:
    """Deploy to every host, side by side; what goes wrong on one stays there. Keeps the result as files of the run."""
    for host in hosts:
        refuse_unknown_ids(host.settings)
    batch = Batch(new_run("deploy"), options)
    on_hosts(hosts, deploy_host, batch, reach, tell)
    if not options.dry_run:
        batch.run.write("deploy.json", document(batch.run.name, batch.hosts))
    return batch
