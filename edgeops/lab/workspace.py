"""The user's side of the lab, below ``.edgeops/lab/``: login key, known hosts and the inventory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from edgeops.lab.inventory_text import updated
from edgeops.lab.places import Workspace
from edgeops.lab.programs import run
from edgeops.lab.records import PORT, HostRecord


def login_key(workspace: Workspace) -> str:
    """The public line of this workspace's own key, which is made when there is none."""
    workspace.lab.mkdir(parents=True, exist_ok=True)
    if not workspace.key.exists():
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "edgeops-lab", "-f", workspace.key)
    return run("ssh-keygen", "-y", "-f", workspace.key).strip()


def check_inventory(workspace: Workspace) -> None:
    """Raise ConfigurationError when the inventory cannot be kept up to date, before anything is changed."""
    updated(_text(workspace), (), workspace)


def show_hosts(workspace: Workspace, records: Sequence[HostRecord]) -> None:
    """Bring known hosts and inventory in line with ``records``."""
    keys = "".join(f"[{record.address}]:{PORT} {record.host_key}\n" for record in records if record.host_key)
    _write(workspace.known_hosts, keys)
    text = _text(workspace)
    wanted = updated(text, records, workspace)
    if wanted != text:
        _write(workspace.inventory, wanted)


def _text(workspace: Workspace) -> str:
    return workspace.inventory.read_text(encoding="utf-8") if workspace.inventory.exists() else ""


def _write(path: Path, text: str) -> None:
    draft = path.with_name(path.name + ".new")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)
