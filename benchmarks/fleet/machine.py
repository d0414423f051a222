"""Where it was measured: figures of another machine are other figures."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path

from benchmarks.fleet.tools import Given

PROJECT = Path(__file__).resolve().parents[2]


def facts(given: Given) -> dict[str, object]:
    """Cores, memory (bytes), kernel, versions of everything that takes part, and the commit of edgeops."""
    return {
        "at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": platform.release(),
        "system": platform.freedesktop_os_release().get("PRETTY_NAME", ""),
        "python": sys.version.split()[0],
        "edgeops": metadata.version("edgeops"),
        "commit": _said("git", "-C", str(PROJECT), "rev-parse", "--short", "HEAD"),
        "pyinfra": metadata.version("pyinfra"),
        "paramiko": metadata.version("paramiko"),
        "ansible": _said(str(given.ansible / "ansible"), "--version").splitlines()[0],
        "ssh": _said("ssh", "-V"),
    }


def _cpu() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def _said(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return (done.stdout or done.stderr).strip()
