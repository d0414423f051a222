"""The part of the lab that needs root. Called directly by root, through sudo by others.

``python -m edgeops.lab.root_part`` reads one request as JSON on stdin, tells its story on stderr and answers with JSON
on stdout.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from edgeops.errors import EdgeopsError
from edgeops.lab.cache import Report
from edgeops.lab.dial import turn
from edgeops.lab.hosts import take_down, take_up
from edgeops.lab.locks import workspace_lock
from edgeops.lab.orders import HostOrder
from edgeops.lab.places import CACHE, STATE
from edgeops.lab.programs import demand_programs


@dataclass(frozen=True)
class Request:
    """``action`` is up, down or set; ``environment`` is the caller's, as far as downloads need it."""

    action: str
    state: str
    orders: tuple[HostOrder, ...] = ()
    names: tuple[str, ...] = ()
    fresh: bool = False
    login_key: str = ""
    knobs: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Request:
        values: dict[str, Any] = json.loads(text)
        orders = tuple(HostOrder(one["name"], one["kind"], tuple(one["faults"])) for one in values.pop("orders"))
        return cls(**{**values, "orders": orders, "names": tuple(values["names"])})


def perform(request: Request, report: Report) -> dict[str, Any]:
    """Do what is asked, one caller a workspace at a time. Returns knobs, if asked for. Raises EdgeopsError."""
    demand_programs()
    with _readable_files():
        STATE.mkdir(parents=True, exist_ok=True)
        CACHE.mkdir(parents=True, exist_ok=True)
        with workspace_lock(Path(request.state), report):
            if request.action == "up":
                take_up(request, report)
            elif request.action == "down":
                take_down(request, report)
            elif request.action == "set":
                return turn(request.state, request.names[0], request.knobs)
    return {}


@contextmanager
def _readable_files() -> Iterator[None]:
    """A caller with a strict umask would make trees in which only root can log in."""
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)


def main() -> int:
    """Entry of the sudo call; the answer is the knobs, or what went wrong."""
    request = Request.from_json(sys.stdin.read())
    os.environ.update(request.environment)
    try:
        answer = perform(request, lambda line: print(line, file=sys.stderr, flush=True))  # noqa: T201
    except EdgeopsError as error:
        json.dump({"message": error.message, "remedy": error.remedy, "exit_code": error.exit_code}, sys.stdout)
        return 1
    json.dump(answer, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
