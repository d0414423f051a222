"""Past and present runs: their files below ``.edgeops/runs``, which are the truth, and an index of them."""

from __future__ import annotations

from edgeops.runs.finding import find_run
from edgeops.runs.index import Accepted, Index, open_index
from edgeops.runs.run import Run, new_run
from edgeops.runs.summary import HostSummary, Summary

__all__ = ["Accepted", "HostSummary", "Index", "Run", "Summary", "find_run", "new_run", "open_index"]
