"""The wheels of a release, downloaded by pip on this machine for the hosts' platform, once for all of them."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from edgeops.desired import Release
from edgeops.engine import Session
from edgeops.errors import EdgeopsError
from edgeops.locations import WORKSPACE

WHEELS = WORKSPACE / "wheels"
DOWNLOAD_TIMEOUT_S = 3600
_ASK = (
    "import os,platform,sys;"
    "print(platform.machine(),os.confstr('CS_GNU_LIBC_VERSION').split()[1],'%d.%d'%sys.version_info[:2])"
)
_locks: defaultdict[Path, threading.Lock] = defaultdict(threading.Lock)


@dataclass(frozen=True)
class Platform:
    """What decides which wheels fit: ``machine`` (aarch64), ``glibc`` (2.39), ``python`` (3.12)."""

    machine: str
    glibc: str
    python: str

    @property
    def pip_arguments(self) -> tuple[str, ...]:
        """For pip download: every manylinux tag up to the host's glibc (PEP 600), the newest first."""
        major, minor = (int(part) for part in self.glibc.split("."))
        tags = [f"manylinux_{major}_{number}_{self.machine}" for number in range(minor, 16, -1)]
        platforms = [*tags, f"manylinux2014_{self.machine}", f"linux_{self.machine}"]
        words = ("--only-binary=:all:", "--implementation=cp", f"--python-version={self.python}")
        return (*words, *(f"--platform={tag}" for tag in platforms))


def platform_of_host(session: Session) -> Platform:
    """Asks the host's own Python, which is what pip will run under. Raises EdgeopsError."""
    answer = session.run(f'/usr/bin/python3 -IS -c "{_ASK}"')
    found = re.fullmatch(r"(\w+) (\d+\.\d+) (\d+\.\d+)\s*", answer.out)
    if answer.rc or not found:
        raise EdgeopsError(f"the host's Python did not say its platform: {(answer.err or answer.out)[-200:]!r}")
    return Platform(*found.groups())


def fetched(release: Release, platform: Platform) -> Path:
    """The directory with the release's wheels and those of everything that it requires.

    Downloaded when they are not there yet; hosts that want the same ones at the same time wait for one download.
    Raises EdgeopsError with pip's last line.
    """
    content = [release.requirement, release.constraints, release.pip_arguments, vars(platform)]
    directory = (WHEELS / hashlib.sha256(json.dumps(content).encode()).hexdigest()[:12]).absolute()
    with _locks[directory]:
        if not directory.is_dir():
            _download(release, platform, directory)
    return directory


def _download(release: Release, platform: Platform, directory: Path) -> None:
    draft = directory.with_suffix(".new")
    draft.mkdir(parents=True, exist_ok=True)
    constraints = draft / ".constraints.txt"
    constraints.write_text(release.constraints, encoding="utf-8")
    words = ("download", "--no-input", "--disable-pip-version-check", "--progress-bar=off", f"--dest={draft}")
    pinned = (f"--constraint={constraints}", *release.pip_arguments, release.requirement)
    _pip((*words, *platform.pip_arguments, *pinned))
    draft.rename(directory)


def _pip(words: Sequence[str]) -> None:
    if importlib.util.find_spec("pip") is None:
        raise EdgeopsError(
            "--distribute needs pip in edgeops' own environment", f"Install it: {sys.executable} -m ensurepip"
        )
    command = [sys.executable, "-m", "pip", *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=DOWNLOAD_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        raise EdgeopsError(f"pip download was not finished after {DOWNLOAD_TIMEOUT_S} s") from None
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or done.stderr.splitlines()
        raise EdgeopsError(f"pip download on this machine: {said[-1] if said else done.returncode}", _INDEX)


_INDEX = "Check this machine's way to the package index; `find_links` and `index_url` count here with --distribute."
