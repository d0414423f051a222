"""The scripted engine's own clock: one line a request with the moment of each step, the truth that a benchmark is held
against.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

FILE = Path(os.environ.get("EDGEOPS_LAB_CLOCK", "/var/lib/trtedge/lab-engine.jsonl"))


@dataclass
class RequestClock:
    """Nanoseconds of the monotonic clock: ``seen_ns``, and for each step when it was handed over and its number of
    tokens.
    """

    prompt_tokens: int
    speculative: bool
    k: int
    seen_ns: int = field(default_factory=time.monotonic_ns)
    steps: list[tuple[int, int]] = field(default_factory=list)

    def step(self, tokens: int) -> None:
        self.steps.append((time.monotonic_ns(), tokens))

    def write(self, finish: str) -> None:
        """Append the line; a host without the directory goes without, and says so."""
        line = json.dumps({**self.__dict__, "finish": finish})
        try:
            with FILE.open("a") as lines:
                lines.write(line + "\n")
        except OSError as error:
            sys.stderr.write(f"[edgeops lab] the engine's clock is not kept: {error}\n")
