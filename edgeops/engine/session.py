"""One host, connected: run a line, execute a deploy file. What a workflow's function gets as its only argument."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paramiko import Transport
from pyinfra.api import Host as PyinfraHost
from pyinfra.api import State
from pyinfra.api.exceptions import NestedOperationError, OperationError

from edgeops.engine.access import Access
from edgeops.engine.clock import OperationClock
from edgeops.engine.command import Call
from edgeops.engine.connector import ConnectionLost, EdgeSSH, OnLine
from edgeops.errors import EdgeopsError
from edgeops.inventory import Host
from edgeops.locations import DEPLOYS
from edgeops.snapshot import Answer


class OperationFailed(EdgeopsError):
    """An operation of a deploy file said no; ``log`` is its output."""

    def __init__(self, message: str, log: str = "") -> None:
        super().__init__(message)
        self.log = log


class HostLost(EdgeopsError):
    """The connection broke in the middle: what the last command did is not known."""


@dataclass(frozen=True)
class OperationResult:
    """What one operation did on one host. ``error`` is why it failed, in one line, and empty if it did not."""

    name: str
    changed: bool
    seconds: float
    stdout: str = ""
    stderr: str = ""
    error: str = ""


@dataclass
class Session:
    """A connected host."""

    host: Host
    access: Access
    pyinfra_host: PyinfraHost
    state: State
    clock: OperationClock
    operations: list[OperationResult] = field(default_factory=list)

    @property
    def login(self) -> str:
        """The user that logged in."""
        return self._connector.login

    def run(
        self,
        command: str,
        *,
        sudo: bool = False,
        user: str | None = None,
        stdin: str = "",
        timeout: float = 60,
        on_line: OnLine | None = None,
    ) -> Answer:
        """Run one line of POSIX shell. rc is a value (124: not finished after ``timeout`` seconds). Raises HostLost.

        ``on_line`` gets each line of stdout as it arrives, without its end.
        """
        try:
            return self._connector.execute(Call(command, sudo, user, stdin), timeout, on_line)
        except ConnectionLost as lost:
            raise HostLost(f"{self.host.name}: {lost}", "Check the network and run the same command again.") from lost

    def deploy(self, name: str, **data: Any) -> list[OperationResult]:
        """Execute ``deploys/<name>.py`` here, with ``data`` as host data. Returns what its operations did.

        The same files run under plain pyinfra. Raises OperationFailed; earlier operations stay in ``operations``.
        """
        for key, value in data.items():
            setattr(self.pyinfra_host.data, key, value)
        path = DEPLOYS / f"{name}.py"
        first = len(self.pyinfra_host.op_hash_order)
        try:
            exec(_compiled(path), {"__name__": path.stem, "__file__": str(path)})  # noqa: S102  as pyinfra itself does
        except NestedOperationError as error:  # an OperationError too, whose text is the operation's hash
            failed = self._result(str(error.args[0]))
            raise OperationFailed(f"{failed.name}: {failed.error}", failed.stderr or failed.stdout) from error
        except OperationError as error:
            raise OperationFailed(str(error)) from error
        finally:
            done = [self._result(op_hash) for op_hash in self._hashes()[first:]]
            self.operations += done
        return done

    def give_up(self, reason: str) -> None:
        """Wait no longer for this host: what is going on there raises HostLost with ``reason``."""
        self._connector.give_up(reason)

    @property
    def transport(self) -> Transport:
        """The SSH transport below; for what is neither a command nor a transfer. Raises HostLost without one."""
        client = self._connector.client
        transport = client.get_transport() if client else None
        if transport is None:
            raise HostLost(f"{self.host.name}: not connected", "Check the network and run the same command again.")
        return transport

    @property
    def _connector(self) -> EdgeSSH:
        connector = self.pyinfra_host.connector
        assert isinstance(connector, EdgeSSH)
        return connector

    def _hashes(self) -> list[str]:
        """In order of their calls; an operation whose arguments were wrong has left no data behind."""
        return [op_hash for op_hash in self.pyinfra_host.op_hash_order if op_hash in self.state.ops[self.pyinfra_host]]

    def _result(self, op_hash: str) -> OperationResult:
        data = self.state.ops[self.pyinfra_host][op_hash]
        meta, name = data.operation_meta, str(data.global_arguments.get("name") or "an operation without a name")
        if not meta.is_complete():
            return OperationResult(name, changed=True, seconds=0.0, error="interrupted")
        seconds, reason = self.clock.of(self.pyinfra_host, op_hash)
        error = "" if meta.did_succeed() else reason or _last_line(meta.stderr or meta.stdout)
        return OperationResult(name, meta.did_change(), seconds, meta.stdout, meta.stderr, error)


def _last_line(text: str) -> str:
    return text.strip().splitlines()[-1] if text.strip() else "no output"


_CODE: dict[Path, Any] = {}


def _compiled(path: Path) -> Any:
    """Compiled once a process: a fleet executes it once a host."""
    if path not in _CODE:
        _CODE[path] = compile(path.read_text(encoding="utf-8"), str(path), "exec")
    return _CODE[path]
