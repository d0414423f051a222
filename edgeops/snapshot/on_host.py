"""Runs on a host under its own Python, standard library only: asks all probes, each within its own time limit.

The same as the shell of edgeops/snapshot/script.py, which stays for hosts whose Python does not work, at a quarter of
the CPU: the shell needs a dozen processes to keep one answer's output, error text and exit code apart. Prints a line a
probe. What to ask is the global PLAN: ``first`` (asked alone), ``lanes`` (asked side by side), each probe as [id, code,
limit in seconds, path of the file that the code shows, or nothing], and ``keep``, bytes of each stream.
"""

from __future__ import annotations

import base64
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

GRACE_S = 1.0
PIECE = 65536
TOO_LATE = 124
_speaking = threading.Lock()


class Streams:
    """What a process has said so far, at most ``keep`` bytes of each stream."""

    def __init__(self, process: subprocess.Popen[bytes], keep: int) -> None:
        self.open = [pipe for pipe in (process.stdout, process.stderr) if pipe]
        self.said = {pipe: bytearray() for pipe in self.open}
        self.keep = keep

    def read(self, until: float) -> bool:
        """Listen until then; whether both streams have ended. A stream that never falls silent is cut off too."""
        with selectors.DefaultSelector() as selector:
            for pipe in self.open:
                selector.register(pipe, selectors.EVENT_READ)
            while self.open and (left := until - time.monotonic()) > 0:
                for key, _ in selector.select(left):
                    if not self.take(key.fd):
                        selector.unregister(key.fileobj)
        return not self.open

    def take(self, number: int) -> bool:
        """One piece of the stream with this file descriptor; false at its end."""
        pipe = next(one for one in self.open if one.fileno() == number)
        piece, text = os.read(number, PIECE), self.said[pipe]
        text += piece[: max(self.keep - len(text), 0)]
        if not piece:
            self.open.remove(pipe)
        return bool(piece)

    def texts(self) -> list[bytes]:
        """Output and error text."""
        return [bytes(text) for text in self.said.values()]


def ask(code: str, limit: float, keep: int) -> tuple[int, list[bytes]]:
    """Exit code, and output and error text, of one line of shell; 124 where it was not finished in time."""
    until = time.monotonic() + limit
    with subprocess.Popen(
        ["/bin/sh", "-c", code],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        streams = Streams(process, keep)
        number = exit_code(process, until) if streams.read(until) else TOO_LATE
        if number == TOO_LATE:
            end(process, streams)
        return number, streams.texts()


def exit_code(process: subprocess.Popen[bytes], until: float) -> int:
    """As a shell has it: 128 and more for a signal."""
    try:
        number = process.wait(max(until - time.monotonic(), GRACE_S))
    except subprocess.TimeoutExpired:
        return TOO_LATE
    return number if number >= 0 else 128 - number


def end(process: subprocess.Popen[bytes], streams: Streams) -> None:
    """Politely, then not; what became root through sudo may not obey, and is left behind."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(OSError):
            os.killpg(process.pid, number)
        if streams.read(time.monotonic() + GRACE_S) and process.poll() is not None:
            return
    process.returncode = process.returncode or TOO_LATE  # nobody waits for it


def show(path: str, keep: int) -> tuple[int, list[bytes]]:
    """What cat says of a file."""
    try:
        with open(path, "rb") as file:
            return 0, [file.read(keep), b""]
    except OSError as error:
        return 1, [b"", f"cat: {path}: {error.strerror}\n".encode()]


def answer(probe: tuple[str, str, float, str], keep: int) -> int:
    """Ask one probe and print its line."""
    name, code, limit, path = probe
    try:
        number, texts = show(path, keep) if path else ask(code, limit, keep)
    except OSError as error:
        number, texts = 126, [b"", str(error).encode()]
    out, err = (base64.b64encode(text).decode() for text in texts)
    with _speaking:
        sys.stdout.write(f"@{name} {number} {out}. {err}.\n")
        sys.stdout.flush()
    return number


def walk(lane: list[tuple[str, str, float, str]], keep: int) -> None:
    """One after the other."""
    for probe in lane:
        answer(probe, keep)


def main(first: tuple[str, str, float, str], lanes: list[list[tuple[str, str, float, str]]], keep: int) -> None:
    """The first probe decides how the others ask for root's rights; then the lanes, side by side."""
    may = answer(first, keep) == 0
    os.environ["AS_ROOT"] = "sudo -n" if may and os.getuid() else ""
    threads = [threading.Thread(target=walk, args=(lane, keep)) for lane in lanes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main(**globals()["PLAN"])
