"""pyinfra's Python inventories, through pyinfra's own reader.

They are programs: reading one executes it, and the files of ``group_data/`` beside it.
"""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from edgeops.errors import ConfigurationError
from edgeops.inventory.connection import canonical
from edgeops.inventory.names import is_name
from edgeops.inventory.written import Entry, Value


def read_python(path: Path) -> list[Entry]:
    """The hosts that ``path`` defines, with the values of its groups merged by pyinfra. Raises ConfigurationError."""
    with _context(), contextlib.redirect_stdout(sys.stderr):
        hosts = _execute(path)
    return [_entry(name, groups, data, str(path)) for name, groups, data in hosts]


def _entry(name: str, groups: tuple[str, ...], data: dict[str, Any], where: str) -> Entry:
    if not is_name(name):
        raise ConfigurationError(f"{where}: {name!r} is no host that SSH can reach")
    return Entry(name, groups, {canonical(key): Value(key, value, where) for key, value in data.items()})


def _execute(path: Path) -> list[tuple[str, tuple[str, ...], dict[str, Any]]]:
    from pyinfra.api.exceptions import PyinfraError
    from pyinfra_cli.exceptions import UnexpectedExternalError
    from pyinfra_cli.inventory import make_inventory_from_files

    try:
        inventory = make_inventory_from_files(str(path))
    except UnexpectedExternalError as error:  # its own str() fails
        raise ConfigurationError(_blame(path, error.exception)) from None
    except PyinfraError as error:
        raise ConfigurationError(f"{path}: {error}") from None
    except (Exception, SystemExit) as error:  # noqa: BLE001  the file is somebody's program and may raise anything
        raise ConfigurationError(_blame(path, error)) from None
    return [(host.name, _from_the_widest(host.groups), host.data.dict()) for host in inventory]


def _from_the_widest(groups: list[str]) -> tuple[str, ...]:
    return ("all", *(group for group in groups if group != "all"))


def _blame(path: Path, error: BaseException) -> str:
    """The sentence for an exception from the inventory's own code, with its line there if it has one."""
    if isinstance(error, SyntaxError):
        return f"{error.filename or path}:{error.lineno or 1}: {error.msg}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).suffix == ".py"]
    own = [frame for frame in frames if Path(frame.filename).resolve().is_relative_to(path.resolve().parent)]
    where = f"{own[-1].filename}:{own[-1].lineno}" if own else str(path)
    return f"{where}: {type(error).__name__}: {error}"


@contextlib.contextmanager
def _context() -> Iterator[None]:
    """pyinfra's reader writes to the current State, and there is none yet."""
    from pyinfra.api import State
    from pyinfra.context import ctx_state

    before = ctx_state.get()
    ctx_state.set(State())
    try:
        yield
    finally:
        ctx_state.set(before)
