"""Looks at the machine five times a second while it is measured: beside the probe, in a process of its own.

One file, standard library, Python 3.8 and later: the probe starts it from its text and reads its lines between
requests. It asks the GPU's tools through one long-running process each, since starting one a sample would disturb what
is measured. When memory falls below ``floor_kib`` it tells the probe with a signal, because a machine with unified
memory freezes rather than failing (https://github.com/NVIDIA/open-gpu-kernel-modules/issues/1358).
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import signal
import subprocess
import threading
import time
from typing import Any

PLAN: dict[str, Any] = globals().get("PLAN") or {}

REASONS = ("clocks_event_reasons.active", "clocks_throttle_reasons.active")
"""The name since driver 535, and the one before."""
FIELDS = "clocks.sm,power.draw,temperature.gpu,"
QUIET: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
FRESH = 3
"""An answer counts for so many samples; then the tool is taken for silent."""


class Tool:
    """A program that prints a line at each interval, by the first of ``commands`` that does not end at once.

    One that is missing, hangs or ends simply says nothing more: no sample waits for it.
    """

    def __init__(self, *commands: list[str]) -> None:
        self.line, self.at = "", 0.0
        self.pipe = -1
        self._commands = list(commands)
        self._start()

    def _start(self) -> None:
        self._rest = b""
        while self._commands and self.pipe < 0:
            with contextlib.suppress(OSError):
                self._process = subprocess.Popen(self._commands.pop(0), **QUIET)
                assert self._process.stdout is not None
                self.pipe = self._process.stdout.fileno()
                os.set_blocking(self.pipe, False)

    def read(self) -> None:
        try:
            data = os.read(self.pipe, 65536)
        except BlockingIOError:
            return
        if not data:
            self.stop()
            self._start()
            return
        *lines, self._rest = (self._rest[-4096:] + data).split(b"\n")
        if lines:
            self.line, self.at = lines[-1].decode("utf-8", "replace"), time.monotonic()

    def stop(self) -> None:
        if self.pipe >= 0:
            self.pipe = -1
            self._process.kill()
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()


def gpu_tool(interval: float) -> Tool:
    """nvidia-smi with the newer name of the reasons, and with the older one if it ends at that."""
    every = ["--format=csv,noheader,nounits", "-lms", str(round(interval * 1000))]
    return Tool(*(["nvidia-smi", "--query-gpu=" + FIELDS + name, *every] for name in REASONS))


def tegra_tool(interval: float) -> Tool:
    return Tool(["tegrastats", "--interval", str(round(interval * 1000))])


def number(text: str) -> float | None:
    return float(text) if re.match(r"\d{1,9}(\.\d{1,9})?$", text) else None


def gpu_values(line: str) -> dict[str, Any]:
    """One line of nvidia-smi; a value that it does not have (``[N/A]``) is left out."""
    cells = [cell.strip() for cell in line.split(",")]
    if len(cells) != 4:
        return {}
    found: dict[str, Any] = dict(zip(("sm_mhz", "power_w", "temperature_c"), map(number, cells)))
    if re.match(r"0x[0-9a-fA-F]{1,16}$", cells[3]):
        found["reasons"] = int(cells[3], 16) & 0xFFFFFFFF
    return {key: value for key, value in found.items() if value is not None}


TEGRA = (("sm_mhz", r"GR3D_FREQ \d+%@\[?(\d+)", 1), ("temperature_c", r"\bgpu@([\d.]+)C", 1))
TEGRA_POWER = (("power_w", r"\b(?:VDD_GPU|VDD_GPU_SOC|VDD_CPU_GPU_CV|VIN|VDD_IN) (\d+)mW", 1000),)


def tegra_values(line: str) -> dict[str, Any]:
    """One line of tegrastats, whose items differ by board: GPU clock (not on Thor), temperature and power."""
    found = ((name, re.search(pattern, line), scale) for name, pattern, scale in TEGRA + TEGRA_POWER)
    return {name: float(match.group(1)) / scale for name, match, scale in found if match}


def mem_available_kib() -> int | None:
    found = re.search(r"^MemAvailable:\s+(\d{1,15}) kB", content("/proc/meminfo"), re.MULTILINE)
    return int(found.group(1)) if found else None


def content(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(65536)
    except OSError:
        return ""


TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def busy_s() -> float | None:
    """Seconds of all cores that were not idle, since the start (proc(5), /proc/stat)."""
    words = content("/proc/stat").split("\n", 1)[0].split()[1:9]
    if len(words) < 8:
        return None
    return round(sum(int(word) for place, word in enumerate(words) if place not in (3, 4)) * TICK_S, 2)


def process_s(pid: int) -> float | None:
    """Seconds of a core that process ``pid`` has had."""
    words = content(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return round((int(words[11]) + int(words[12])) * TICK_S, 2) if len(words) > 12 else None


def sample(tools: list[tuple[Tool, Any]], interval: float) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for tool, values in tools:
        if tool.line and time.monotonic() - tool.at < FRESH * interval:
            found = dict(values(tool.line), **found)
    found.update(t=time.monotonic_ns(), mem_available_kib=mem_available_kib(), busy_s=busy_s())
    if PLAN.get("server_pid"):
        found["server_s"] = process_s(PLAN["server_pid"])
    return {key: value for key, value in found.items() if value is not None}


def output_of(*command: str) -> str | None:
    """What a tool of the host prints; None where it is missing or fails."""
    try:
        done = subprocess.run(command, check=True, timeout=10, **QUIET)
    except (OSError, subprocess.SubprocessError):
        return None
    return str(done.stdout.decode("utf-8", "replace"))


MOST_USERS = 20
"""So that a line fits into the pipe at once."""
GPU_USERS = ("nvidia-smi", "--query-compute-apps=pid,process_name", "--format=csv,noheader")


def conditions(when: str) -> dict[str, Any]:
    """What must be the same before and after: the power mode, and who uses the GPU beside the server."""
    mode, apps = output_of("nvpmodel", "-q"), output_of(*GPU_USERS)
    rows = [line.partition(",") for line in (apps or "").splitlines()]
    users = [(int(pid), name.strip()[:100]) for pid, _, name in rows if re.match(r"\d{1,9}$", pid.strip())][:MOST_USERS]
    found = re.search(r"NV Power Mode: *(\S+)", mode or "")
    return {
        "kind": "conditions",
        "when": when,
        "power_mode": found.group(1)[:64] if found else None,
        "gpu_users": None
        if apps is None
        else [{"pid": pid, "name": name, "ours": is_ours(pid)} for pid, name in users],
        "cores": os.cpu_count(),
    }


def is_ours(pid: int) -> bool:
    """Whether ``pid`` is the server's process or below it."""
    while pid > 1 and PLAN.get("server_pid"):
        if pid == PLAN["server_pid"]:
            return True
        words = content(f"/proc/{pid}/stat").rpartition(")")[2].split()
        pid = int(words[1]) if len(words) > 1 else 0
    return False


def say(found: dict[str, Any]) -> None:
    """One line; left out when nobody has read for so long that the pipe is full. Raises OSError when it is closed."""
    with contextlib.suppress(BlockingIOError):
        os.write(1, json.dumps(found).encode("ascii") + b"\n")


def watch(tools: list[tuple[Tool, Any]]) -> None:
    interval, alarmed = PLAN["interval_s"], False
    due = time.monotonic()
    while True:
        listen(tools, due)
        found = sample(tools, interval)
        say(found)
        if found.get("mem_available_kib", PLAN["floor_kib"]) < PLAN["floor_kib"] and not alarmed:
            alarmed = True
            if os.getppid() == PLAN["probe_pid"]:
                os.kill(PLAN["probe_pid"], signal.SIGUSR1)
        due = max(due + interval, time.monotonic())


def listen(tools: list[tuple[Tool, Any]], due: float) -> None:
    """Read what the tools say until ``due``."""
    while True:
        pipes = {tool.pipe: tool for tool, _ in tools if tool.pipe >= 0}
        ready, _, _ = select.select(list(pipes), [], [], max(0.0, due - time.monotonic()))
        for pipe in ready:
            pipes[pipe].read()
        if not ready and time.monotonic() >= due:
            return


class Finished(Exception):
    """The probe has asked for the end."""


def finish(*_: Any) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Finished


def begin() -> None:
    """Beside the samples: a tool that hangs must not keep memory from being watched."""
    with contextlib.suppress(OSError):
        say(conditions("before"))


def run() -> None:
    signal.signal(signal.SIGTERM, finish)
    os.nice(5)
    os.set_blocking(1, False)
    before = threading.Thread(target=begin, daemon=True)
    before.start()
    tools = [(gpu_tool(PLAN["interval_s"]), gpu_values), (tegra_tool(PLAN["interval_s"]), tegra_values)]
    try:
        watch(tools)
    except Finished:
        before.join()
        say(conditions("after"))
    except BrokenPipeError:
        pass
    finally:
        for tool, _ in tools:
            tool.stop()


if __name__ == "__main__":
    run()
