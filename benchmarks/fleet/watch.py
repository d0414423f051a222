"""One command from outside: wall time, CPU and memory of it and of everything it starts, daemons included.

Processes that leave their parent (ssh's ControlPersist masters) become children of this one, so that their CPU is
counted too: prctl(2), PR_SET_CHILD_SUBREAPER.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

_SET_CHILD_SUBREAPER = 36
_EVERY_S = 0.2


@dataclass(frozen=True)
class Watched:
    """``wall_s``, ``cpu_s`` (user and system); ``tree_mb``: most proportional memory of all processes together, looked
    at every 0.2 s; ``largest_mb``: most resident memory of any one of them, as the kernel counted it. MB: 10^6 bytes.
    """

    wall_s: float
    cpu_s: float
    tree_mb: float
    largest_mb: float
    exit_code: int
    load_before: float


def watch(words: Sequence[str], directory: Path, environment: Mapping[str, str], log: Path) -> Watched:
    """Run ``words`` to their end; stdout and stderr go to ``log``.

    Another process watches, a new one each time: the kernel's count of a process's dead children never goes back.
    """
    watcher = [sys.executable, "-I", __file__, str(log), *words]
    done = subprocess.run(watcher, cwd=directory, env=dict(environment), capture_output=True, text=True, check=True)
    return Watched(**json.loads(done.stdout))


def _watch(log: Path, words: Sequence[str]) -> Watched:
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    load, most, done = os.getloadavg()[0], [0], threading.Event()
    with log.open("w") as out:
        began = time.perf_counter()
        process = subprocess.Popen(words, stdout=out, stderr=subprocess.STDOUT)
        looking = threading.Thread(target=_look, args=(most, done))
        looking.start()
        code = process.wait()
        wall = time.perf_counter() - began
    done.set()
    looking.join()
    _reap_what_is_left()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Watched(wall, used.ru_utime + used.ru_stime, most[0] / 1e6, used.ru_maxrss * 1024 / 1e6, code, load)


def _look(most: list[int], done: threading.Event) -> None:
    while not done.wait(_EVERY_S):
        most[0] = max(most[0], sum(_memory(pid) for pid in _below(os.getpid())))


def _below(pid: int) -> Iterator[int]:
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, tasks.read_text().split()):
                yield child
                yield from _below(child)


def _memory(pid: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def _reap_what_is_left() -> None:
    """Daemons of the command: they are children of this process now."""
    for pid in list(_below(os.getpid())):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    with suppress(ChildProcessError):
        while True:
            os.wait()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(_watch(Path(sys.argv[1]), sys.argv[2:]))))
