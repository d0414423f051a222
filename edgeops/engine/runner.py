"""Run one function on many hosts: each straight through, in its own greenlet, so an error stays with its host.

pyinfra is embedded in immediate mode: with ``state.is_executing`` set an operation runs when it is called, so facts are
fresh and ``if`` sees the real state. That mode is reachable but not documented for this use; hence one module, with
tests.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import gevent
from gevent.lock import BoundedSemaphore
from gevent.pool import Pool
from pyinfra.api import Config, Inventory, State
from pyinfra.api import Host as PyinfraHost
from pyinfra.api.exceptions import ConnectError, PyinfraError
from pyinfra.api.state import StateStage
from pyinfra.connectors.ssh import SSHConnector
from pyinfra.context import ctx_config, ctx_host, ctx_inventory, ctx_state

from edgeops.engine.access import Access
from edgeops.engine.clock import Clocked, OperationClock
from edgeops.engine.connector import EdgeSSH, forget_known_hosts, make_known_hosts_writable
from edgeops.engine.session import Session
from edgeops.engine.transport import CONNECT_ARGUMENTS
from edgeops.errors import EdgeopsError
from edgeops.inventory import Host

T = TypeVar("T")
Status = Literal["pending", "running", "ok", "failed", "unreachable", "timeout", "error", "interrupted"]

CONNECT_TIMEOUT_S = 10
_ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GRACE_S = 30.0
"""How long the functions may put things right after Ctrl-C."""


@dataclass
class HostResult(Generic[T]):
    """How the function ended on one host. ``error`` and ``remedy`` are sentences, empty when it ended well."""

    host: Host
    status: Status = "pending"
    error: str = ""
    remedy: str = ""
    value: T | None = None
    cause: BaseException | None = None


class Interrupted(KeyboardInterrupt):
    """Ctrl-C. ``results`` says how far each host got."""

    def __init__(self, results: dict[str, HostResult[Any]]) -> None:
        super().__init__("interrupted")
        self.results = results


@dataclass(frozen=True)
class _Task(Generic[T]):
    work: Callable[[Session], T]
    deadline: float
    access: Access
    on_end: Callable[[HostResult[T]], None]
    connecting: BoundedSemaphore


def run(
    hosts: Sequence[Host],
    work: Callable[[Session], T],
    *,
    deadline: float,
    parallel: int = 20,
    access: Access | None = None,
    grace: float = GRACE_S,
    on_end: Callable[[HostResult[T]], None] = lambda _result: None,
    all_at_once: bool = False,
) -> dict[str, HostResult[T]]:
    """Call ``work`` once per host, connected. ``deadline`` is seconds for one host, connecting included.

    An error stays with its host and is a value. On Ctrl-C every running ``work`` gets GreenletExit and ``grace``
    seconds to put things right; then Interrupted is raised with what is known. ``on_end`` is called as soon as a host
    that was begun is through, while others are still at work. ``all_at_once``: ``parallel`` bounds only those that are
    being connected to.
    """
    task = _Task(work, deadline, access or Access(), on_end, BoundedSemaphore(parallel))
    state = _make_state(hosts, parallel, task)
    results: dict[str, HostResult[T]] = {host.name: HostResult(host) for host in hosts}
    pool = Pool(len(hosts) if all_at_once else parallel)
    with _current(state), _quiet_interrupts():
        try:
            for host in hosts:
                pool.spawn(_work_on, state, results[host.name], task)  # waits while the pool is full
            pool.join()
        except KeyboardInterrupt:
            with suppress(KeyboardInterrupt):  # a second one means that the grace is not waited for
                pool.kill(timeout=grace)
            raise Interrupted(dict(results)) from None
    return results


def _work_on(state: _State, result: HostResult[T], task: _Task[T]) -> None:
    result.status = "running"
    host = state.inventory.get_host(result.host.name)
    timer = gevent.Timeout(task.deadline)  # a BaseException: no "except Exception" of pyinfra's swallows it
    try:
        with timer, ctx_host.use(host), ctx_config.use(_own_config(state)):
            with task.connecting:
                host.connect(show_errors=False, raise_exceptions=True)
            state.activate_host(host)
            result.value = task.work(Session(result.host, task.access, host, state, state.clock))
        result.status = "ok"
    except gevent.Timeout as expired:
        result.status, result.cause = ("timeout" if expired is timer else "error"), expired
        result.error = (
            f"not finished after {task.deadline:g} s" if expired is timer else f"an inner time limit: {expired}"
        )
    except ConnectError as error:
        result.status, result.error, result.cause = "unreachable", str(error), error
    except EdgeopsError as error:
        result.status, result.error, result.remedy, result.cause = "failed", error.message, error.remedy, error
    except _FactFailed as error:
        result.status, result.error, result.cause = "failed", str(error), error
    except Exception as error:
        result.status, result.error, result.cause = "error", f"{type(error).__name__}: {error}", error
        logging.getLogger("edgeops").debug("on %s", result.host.name, exc_info=True)
    except BaseException as error:  # GreenletExit, or Ctrl-C that arrived while this greenlet was running
        result.status, result.error, result.cause = "interrupted", "interrupted", error
        if isinstance(error, KeyboardInterrupt):
            raise
    finally:
        with gevent.Timeout(5, False), suppress(Exception):  # goodbye to a frozen host must not take for ever
            host.disconnect()
        task.on_end(result)


def _make_state(hosts: Sequence[Host], parallel: int, task: _Task[T]) -> _State:
    forget_known_hosts()
    if task.access.accept_new:
        make_known_hosts_writable()
    inventory = Inventory(([(host.name, _ssh_data(host, task.access)) for host in hosts], {}))
    for host in inventory:
        if host.connector_cls is SSHConnector:
            host.connector_cls = EdgeSSH  # before State(), which builds the connectors
    settings = Config(PARALLEL=parallel, CONNECT_TIMEOUT=CONNECT_TIMEOUT_S)
    state = _State(inventory, settings, check_for_changes=False)
    for host in inventory:
        host.connector.access = task.access  # type: ignore[attr-defined]
    state.clock = OperationClock()
    state.add_callback_handler(Clocked())  # type: ignore[no-untyped-call]
    state.current_stage = StateStage.Execute
    state.is_executing = True
    return state


def _ssh_data(host: Host, access: Access) -> dict[str, Any]:
    """pyinfra's host data. Its default accepts unknown keys; ours never does unless asked."""
    data: dict[str, Any] = dict(host.ssh)
    data |= {"ssh_hostname": host.address} if host.address else {}
    data |= {"ssh_port": host.port} if host.port else {}
    data |= {"ssh_user": host.user} if host.user else {}
    data["ssh_strict_host_key_checking"] = "accept-new" if access.accept_new else "yes"
    data["ssh_paramiko_connect_kwargs"] = CONNECT_ARGUMENTS
    return data


def _interrupt(*_: object) -> None:
    """Ctrl-C for whoever waits, whatever runs at that moment: paramiko's threads, greenlets too, would swallow it."""
    hub = gevent.get_hub()
    if gevent.getcurrent() is hub.parent:
        raise KeyboardInterrupt
    hub.handle_system_error(KeyboardInterrupt, KeyboardInterrupt())


class _FactFailed(PyinfraError):
    """A fact's command failed, or its output could not be read."""


class _State(State):
    """Raises where pyinfra would only mark the host as failed and go on with the fact's default value."""

    clock: OperationClock

    def fail_hosts(self, hosts_to_fail: set[PyinfraHost], activated_count: int | None = None) -> None:
        for host in hosts_to_fail:
            reason = getattr(host.connector, "last_failure", "") or "its output could not be read"
            raise _FactFailed(f"a question to the host failed: {reason}")


def _own_config(state: State) -> Config:
    """A copy per host, as a deploy file may set it. pyinfra's own copy forgets ENV."""
    config = state.config.copy()
    config.ENV = dict(state.config.ENV)
    return config


@contextmanager
def _current(state: State) -> Iterator[None]:
    """Sets pyinfra's global state and inventory, and puts back what was there whatever happens."""
    before = {context: context.get() for context in (ctx_state, ctx_inventory)}
    try:
        ctx_state.set(state)
        ctx_inventory.set(state.inventory)
        yield
    finally:
        for context, value in before.items():
            context.set(value)


@contextmanager
def _quiet_interrupts() -> Iterator[None]:
    """Ctrl-C still arrives, but gevent prints no traceback about it; pyinfra's loggers have no handler of last
    resort. To be ended by a job's time limit or a closed terminal (SIGTERM, SIGHUP) is the same as Ctrl-C."""
    hub = gevent.get_hub()
    before = hub.NOT_ERROR
    heeded = [number for number in _ENDINGS if signal.getsignal(number) != signal.SIG_IGN]  # nohup means it
    handlers = {number: signal.signal(number, _interrupt) for number in heeded}
    hub.NOT_ERROR = (*before, KeyboardInterrupt)
    for name in ("pyinfra", "paramiko"):
        logging.getLogger(name).addHandler(logging.NullHandler())
        logging.getLogger(name).propagate = False
    try:
        yield
    finally:
        hub.NOT_ERROR = before
        for number, handler in handlers.items():
            signal.signal(number, handler)
