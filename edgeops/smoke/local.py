"""The probe in a process of this machine: for servers that are reached by a URL, or over a forwarded port."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from edgeops.bench import probe as probe_file
from edgeops.engine.script import LOADER
from edgeops.errors import EdgeopsError
from edgeops.snapshot import Answer

PROBE = Path(probe_file.__file__)


def run_probe(plan: dict[str, Any], hear: Callable[[dict[str, Any]], None], seconds: float) -> Answer:
    """Run the probe on this machine; the plan, which may hold a key, goes in on standard input."""
    given = {"name": PROBE.name, "source": PROBE.read_text(encoding="utf-8"), "plan": plan}
    command = [sys.executable, "-I", "-c", LOADER]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, encoding="utf-8") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        guard = threading.Timer(seconds, process.kill)
        guard.start()
        try:
            process.stdin.write(json.dumps(given) + "\n")
            process.stdin.close()
            for line in process.stdout:
                _hear(line, hear)
            errors = process.stderr.read()
            return Answer(process.wait(), "", errors)
        except BrokenPipeError:
            raise EdgeopsError(f"the probe did not start: {process.stderr.read().strip()[-300:]}") from None
        finally:
            guard.cancel()
            process.kill()


def _hear(line: str, hear: Callable[[dict[str, Any]], None]) -> None:
    try:
        document = json.loads(line)
    except ValueError:
        return
    if isinstance(document, dict):
        hear(document)
