"""Programs of this machine that work for us, and are not left at work alone: they end when we do, however we end."""

from __future__ import annotations

import ctypes
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)


@dataclass(frozen=True)
class Ended:
    """How a program ended, and what it said."""

    rc: int
    out: str
    err: str


def run_child(command: Sequence[str], stdin: str = "") -> Ended:
    """Run ``command`` while other hosts go on (gevent's subprocess). Raises FileNotFoundError where there is none.

    It is killed when the caller is interrupted. When this process is killed, the kernel ends it too
    (https://man7.org/linux/man-pages/man2/PR_SET_PDEATHSIG.2const.html): the next run would have to share with it.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=_end_with_parent,  # noqa: PLW1509  gevent forks in Python anyway, from the one thread that it has
    )
    try:
        out, err = (text.decode("utf-8", "replace") for text in process.communicate(stdin.encode()))
    except BaseException:
        process.kill()
        process.wait()
        raise
    return Ended(process.returncode, out, err)


def _end_with_parent() -> None:
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
