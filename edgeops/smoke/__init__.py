"""The smoke benchmark: is speculative decoding worth it on this server, by how much, and how sure is that?

A host's server is measured on the host itself, over its connection; any other OpenAI-compatible one by its URL, from
here. Everything observed is kept as JSON lines; results are functions of those lines (edgeops/bench/result.py).
"""

from __future__ import annotations

from edgeops.smoke.hosts import measure, on_hosts
from edgeops.smoke.measurement import Options
from edgeops.smoke.outcome import document, recompute, succeeded
from edgeops.smoke.url import by_url

__all__ = ["Options", "by_url", "document", "measure", "on_hosts", "recompute", "succeeded"]
