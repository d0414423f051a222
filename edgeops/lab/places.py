"""Where the lab keeps things: what is shared by the machine, what belongs to one workspace, what the user sees."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from edgeops.locations import LAB

CACHE = Path("/var/cache/edgeops-lab")
"""Root file systems and wheels, one directory a recipe; root's, readable by all."""

STATE = Path("/var/lib/edgeops-lab")
"""Hosts, one directory a workspace."""

LOCKS = Path("/run/lock/edgeops-lab")


@dataclass(frozen=True)
class Workspace:
    """One directory in which ``edgeops lab`` was called; its hosts are apart from every other's."""

    root: Path

    @property
    def lab(self) -> Path:
        return self.root / LAB

    @property
    def key(self) -> Path:
        return self.lab / "id_ed25519"

    @property
    def known_hosts(self) -> Path:
        return self.lab / "known_hosts"

    @property
    def inventory(self) -> Path:
        return self.lab / "inventory.yml"

    @property
    def state(self) -> Path:
        """The machine's side of it: named by the workspace's path, so that two checkouts do not meet."""
        return STATE / hashlib.sha256(str(self.root).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class HostPlaces:
    """One host's directories below its workspace's state."""

    state: Path
    name: str

    @property
    def record(self) -> Path:
        return self.state / f"{self.name}.json"

    @property
    def directory(self) -> Path:
        """Root's alone: the trees below hold set-uid programs."""
        return self.state / self.name

    @property
    def upper(self) -> Path:
        return self.directory / "upper"

    @property
    def work(self) -> Path:
        return self.directory / "work"

    @property
    def merged(self) -> Path:
        return self.directory / "merged"

    @property
    def boot_log(self) -> Path:
        return self.directory / "boot.log"


def workspace_here() -> Workspace:
    """The current directory's."""
    return Workspace(Path.cwd().resolve())
