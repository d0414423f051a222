"""Which hosts there are, how to reach them, and what each of them is to run: the reader's own file, read strictly.

Three ways to say it: YAML in the shape that Ansible users have, pyinfra's Python inventories (which are programs:
reading one executes it), and ``user@address[:port]`` without any file. docs/settings.md is written for the person who
fills such a file.
"""

from __future__ import annotations

from edgeops.inventory.choice import choose
from edgeops.inventory.discovery import open_inventory
from edgeops.inventory.host import Host
from edgeops.inventory.selection import Inventory

__all__ = ["Host", "Inventory", "choose", "open_inventory"]
