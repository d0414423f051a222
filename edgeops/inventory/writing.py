"""Writing a setting of one host into an inventory file.

The changed text is read again before it replaces the file: an edit that would mean something else never gets there.
"""

from __future__ import annotations

import secrets
import shutil
from dataclasses import replace
from pathlib import Path

from edgeops.errors import ConfigurationError
from edgeops.inventory.discovery import open_inventory
from edgeops.inventory.editing import Changes, edited
from edgeops.inventory.host import Host

_EDITABLE = (".yml", ".yaml", ".json")


def write_settings(path: Path, host: str, changes: Changes) -> tuple[Host, ...]:
    """Set ``changes`` as the host's own values in the file, and return the hosts as it now reads.

    Raises ConfigurationError, the file untouched, for a file that is none of YAML's and where the result would not be
    exactly what was meant.
    """
    path = path.resolve()
    if path.suffix not in _EDITABLE:
        raise ConfigurationError(f"{path} is a program, so nothing is written into it", "Write the lines yourself.")
    with path.open(encoding="utf-8", newline="") as file:
        text = file.read()
    draft = path.with_name(f".edgeops-{secrets.token_hex(4)}{path.suffix}")
    try:
        draft.write_text(edited(text, host, changes, quoted=path.suffix == ".json"), encoding="utf-8", newline="")
        shutil.copymode(path, draft)
        now = _as_meant(path, draft, host, changes)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return now


def _as_meant(path: Path, draft: Path, host: str, changes: Changes) -> tuple[Host, ...]:
    """The hosts of ``draft``. Raises ConfigurationError unless it differs from ``path`` in ``changes`` alone."""
    before, after = open_inventory(path).hosts, open_inventory(draft).hosts
    wanted = tuple(
        replace(one, settings=one.settings.model_copy(update=dict(changes))) if one.name == host else one
        for one in before
    )
    if [_compared(one) for one in wanted] != [_compared(one) for one in after]:
        raise ConfigurationError(f"{path} cannot be changed without changing more", "Write the lines yourself.")
    return after


def _compared(host: Host) -> Host:
    return replace(host, origins={})
