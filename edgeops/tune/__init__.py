"""``edgeops tune``: measure every way to decode on a host, decide by a rule, say what to write where, and write it."""

from __future__ import annotations

from edgeops.tune.applying import Applied, apply
from edgeops.tune.outcome import FILE, HostTuning, document, exit_code
from edgeops.tune.workflow import Wanted, tune

__all__ = ["FILE", "Applied", "HostTuning", "Wanted", "apply", "document", "exit_code", "tune"]
