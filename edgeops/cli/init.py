"""``edgeops init``: the first file, written once and never again."""

from __future__ import annotations

import json
from pathlib import Path

import click

from edgeops.cli.options import Common, common_options
from edgeops.errors import ConfigurationError
from edgeops.inventory.discovery import DIRECTORY
from edgeops.locations import EXAMPLE_INVENTORY

FLEET = DIRECTORY / "fleet.yml"

_NEXT = """\
Next:
  1. Put your machines' addresses and login user into {path}.
  2. edgeops hosts    shows how the file is understood
  3. edgeops check    connects, and says what each machine lacks; changes nothing
  4. edgeops deploy spark-01"""


@click.command(name="init")
@common_options
def init(common: Common) -> None:
    """Write a commented inventory to start from: inventories/fleet.yml.

    A file that is there already is left as it is.
    """
    written = _write(FLEET)
    if common.json:
        click.echo(json.dumps({"schema": "edgeops.init/1", "inventory": str(FLEET), "written": written}))
        return
    click.echo(f"Wrote {FLEET}." if written else f"{FLEET} is there already; left as it is.")
    click.echo(_NEXT.format(path=FLEET))


def _write(path: Path) -> bool:
    """Whether the file had to be written. Raises ConfigurationError where it cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(EXAMPLE_INVENTORY.read_text(encoding="utf-8"))
    except FileExistsError:
        if path.is_file():
            return False
        raise ConfigurationError(f"{path} cannot be written: something else is in its place") from None
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}") from None
    return True
