"""The smoke benchmark: is speculative decoding worth it on this server, by how much, and how sure is that?

A host's server is measured on the host itself, over its connection; any other OpenAI-compatible one by its URL, from
here. Everything observed is kept as JSON lines; results are functions of those lines (edgeops/bench/result.py).
"""

from __future__ import annotations

from edgeops.smoke.hosts import Reach, measure, on_hosts
from edgeops.smoke.measurement import Options
from edgeops.smoke.outcome import FILE, document, exit_code, recompute, succeeded
from edgeops.smoke.url import by_url

__all__ = [
    "FILE",
    "Options",
    "Reach",
    "by_url",
    "document",
    "exit_code",
    "measure",
    "on_hosts",
    "recompute",
    "succeeded",
]
