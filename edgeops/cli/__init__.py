"""The command line: a command file parses, calls one workflow, prints. Nothing is imported before it is called."""

from __future__ import annotations

from edgeops.cli.group import main

__all__ = ["main"]
