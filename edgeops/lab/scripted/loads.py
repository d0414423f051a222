"""What has served well on this host before. With ``fail=load`` such a set of flags loads again and a new one does not:
an update goes wrong, and what served before it still works. The same with noise, and with requests that fail.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

FILE = Path(os.environ.get("EDGEOPS_LAB_LOADS", "/var/lib/trtedge/lab-loads.json"))


def refuses(failure: str) -> bool:
    """Whether the knob ``fail`` keeps this process from loading."""
    return failure == "load_always" or (failure == "load" and not served_well())


def served_well() -> bool:
    """Whether these flags have loaded here before, while nothing was to go wrong."""
    return _flags() in _known()


def remember() -> None:
    """Note that these flags serve well; a host without the directory goes without, and says so."""
    try:
        FILE.write_text(json.dumps(sorted({*_known(), _flags()})))
    except OSError as error:
        sys.stderr.write(f"[edgeops lab] the load is not noted: {error}\n")


def _flags() -> str:
    content = [sys.prefix, *sys.argv]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _known() -> list[str]:
    try:
        known = json.loads(FILE.read_text())
    except (OSError, ValueError):
        return []
    return [str(flags) for flags in known] if isinstance(known, list) else []
