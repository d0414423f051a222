"""One lab for the whole run, in a workspace of its own; everything is torn down at the end."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from edgeops import lab as simulated
from edgeops.lab.places import HostPlaces, Workspace
from edgeops.lab.records import PORT, USER
from tests.lab.commands import Commands


@dataclass(frozen=True)
class LabHost:
    """One simulated host; ``root`` is its running file system as the lab machine sees it."""

    name: str
    address: str
    workspace: Workspace

    port = PORT
    user = USER

    @property
    def key(self) -> Path:
        return self.workspace.key

    @property
    def known_hosts(self) -> Path:
        return self.workspace.known_hosts

    @property
    def root(self) -> Path:
        return HostPlaces(self.workspace.state, self.name).merged

    def ssh(self, line: str, *, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run one shell line as the login user, over SSH."""
        options = ["BatchMode=yes", f"UserKnownHostsFile={self.known_hosts}", "StrictHostKeyChecking=yes"]
        words = [word for option in options for word in ("-o", option)]
        where = ["-i", str(self.key), "-p", str(self.port), f"{self.user}@{self.address}", line]
        return subprocess.run(
            ["ssh", *words, *where], input=stdin, capture_output=True, text=True, timeout=120, check=False
        )

    def said(self, line: str) -> str:
        """What the line prints; it must succeed."""
        answer = self.ssh(line)
        assert answer.returncode == 0, f"{line}: {answer.returncode}\n{answer.stdout}{answer.stderr}"
        return answer.stdout.strip()

    def set(self, **knobs: object) -> None:
        """Turn knobs of the scripted engine; an empty string resets one."""
        simulated.set_knobs(self.workspace, self.name, {name: str(value) for name, value in knobs.items()}, _quiet)


class Lab:
    """Makes hosts on demand. The same name gives the same host; a fresh one needs a new name."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def host(self, name: str, *faults: str) -> LabHost:
        """The running host ``name`` (``NAME=KIND`` says what it is), with its faults."""
        orders = simulated.host_orders([name], faults)
        status = simulated.up(self.workspace, orders, _quiet)
        record = next(record for record in status.hosts if record.name == orders[0].name)
        return LabHost(record.name, record.address, self.workspace)

    def drop(self, name: str) -> None:
        """Power the host off and remove it."""
        simulated.down(self.workspace, [name], _quiet)


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A lab in a temporary workspace."""
    workspace = Workspace(tmp_path_factory.mktemp("workspace"))
    yield Lab(workspace)
    simulated.down(workspace, [], _quiet)


@pytest.fixture(scope="session")
def commands(lab: Lab) -> Commands:
    """``edgeops``, called in the lab's workspace."""
    return Commands(lab)


def _quiet(line: str) -> None:
    """Progress is of no interest to a test."""
