"""``python -m edgeops`` and the console script."""

from __future__ import annotations

from edgeops.cli import main

if __name__ == "__main__":
    main(prog_name="edgeops")
