from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from edgeops.errors import ConfigurationError
from edgeops.inventory import Inventory, open_inventory

Read = Callable[..., Inventory]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Write a text as an inventory and open it."""

    def reading(text: str | bytes, name: str = "fleet.yml") -> Inventory:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return open_inventory(path)

    return reading


@pytest.fixture
def complaint(read: Read, tmp_path: Path) -> Callable[..., str]:
    """What is said about a bad inventory, with the directory taken off the file's name."""

    def complaining(text: str | bytes, name: str = "fleet.yml") -> str:
        with pytest.raises(ConfigurationError) as caught:
            read(text, name)
        assert caught.value.exit_code == 2
        return caught.value.message.replace(f"{tmp_path}/", "")

    return complaining
