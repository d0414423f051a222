"""How long each operation took and why it failed, noted the moment it ends."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from pyinfra.api import BaseStateCallback, State
from pyinfra.api import Host as PyinfraHost


@dataclass
class OperationClock:
    """Seconds and failure reason of each operation, noted as it ends: later commands overwrite the connector's
    memory."""

    started: dict[tuple[PyinfraHost, str], float] = field(default_factory=dict)
    ended: dict[tuple[PyinfraHost, str], tuple[float, str]] = field(default_factory=dict)

    def start(self, host: PyinfraHost, op_hash: str) -> None:
        self.started[host, op_hash] = time.monotonic()

    def end(self, host: PyinfraHost, op_hash: str, reason: str = "") -> None:
        began = self.started.get((host, op_hash), time.monotonic())
        self.ended[host, op_hash] = (time.monotonic() - began, reason)

    def of(self, host: PyinfraHost, op_hash: str) -> tuple[float, str]:
        return self.ended.get((host, op_hash), (0.0, ""))


class Clocked(BaseStateCallback):
    """Hands the beginning and end of each operation to the clock of its state (``state.clock``)."""

    @staticmethod
    def operation_host_start(state: State, host: PyinfraHost, op_hash: str) -> None:
        _clock(state).start(host, op_hash)

    @staticmethod
    def operation_host_success(state: State, host: PyinfraHost, op_hash: str, retry_count: int = 0) -> None:
        _clock(state).end(host, op_hash)

    @staticmethod
    def operation_host_error(
        state: State, host: PyinfraHost, op_hash: str, retry_count: int = 0, max_retries: int = 0
    ) -> None:
        _clock(state).end(host, op_hash, getattr(host.connector, "last_failure", ""))


def _clock(state: State) -> OperationClock:
    clock = getattr(state, "clock", None)
    assert isinstance(clock, OperationClock)
    return clock
