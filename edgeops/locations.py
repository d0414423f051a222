"""Where edgeops' own files are, in a checkout and in an installed wheel alike, and where it keeps results."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_BUNDLE = _PACKAGE / "_bundle"

PROJECT = _BUNDLE if _BUNDLE.is_dir() else _PACKAGE.parent
"""Holds ``deploys/``, ``templates/`` and ``inventories/example.yml``: inside the wheel, or the checkout itself."""

DEPLOYS = PROJECT / "deploys"
TEMPLATES = PROJECT / "templates"
EXAMPLE_INVENTORY = PROJECT / "inventories" / "example.yml"

WORKSPACE = Path(".edgeops")
"""Results and the lab's inventory, below the current directory."""

RUNS = WORKSPACE / "runs"
LAB = WORKSPACE / "lab"
LAB_INVENTORY = LAB / "inventory.yml"
