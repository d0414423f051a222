"""A run seen beside others and after the fact: against the last accepted one, held to gates, computed again."""

from __future__ import annotations

from edgeops.history.comparing import failed_gates, judged
from edgeops.history.evidence import read_records
from edgeops.history.reading import PastRun, read_run

__all__ = ["PastRun", "failed_gates", "judged", "read_records", "read_run"]
