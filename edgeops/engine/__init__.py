"""The one door to hosts: pyinfra, embedded. Each host's work runs straight through in its own greenlet, on one
connection.

pyinfra needs gevent patched in before any SSH or HTTP library is imported; the command group and
``tests/conftest.py`` do it.
"""

from __future__ import annotations

from gevent import monkey

if not monkey.is_module_patched("socket"):
    raise RuntimeError("edgeops.engine was imported before gevent was patched in: call gevent.monkey.patch_all() first")

from edgeops.engine.access import Access
from edgeops.engine.runner import HostResult, Interrupted, run
from edgeops.engine.session import OperationFailed, OperationResult, Session

__all__ = ["Access", "HostResult", "Interrupted", "OperationFailed", "OperationResult", "Session", "run"]
