"""The part of the lab that needs root. Called directly by root, through sudo by others."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

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
