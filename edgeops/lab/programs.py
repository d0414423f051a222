"""The one place where the lab starts programs of the lab machine: what they printed is in the error when they fail."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from edgeops.errors import EdgeopsError

PROVIDERS = {
    "mmdebstrap": "mmdebstrap",
    "systemd-nspawn": "systemd-container",
    "gcc": "gcc",
    "dpkg-deb": "dpkg",
    "dpkg-scanpackages": "dpkg-dev",
    "ssh-keygen": "openssh-client",
    "mount": "mount",
    "unshare": "util-linux",
}
"""Each program that the lab needs, and the Debian and Ubuntu package that has it."""

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_ENVIRONMENT = {"PATH": _PATH, "LC_ALL": "C.UTF-8"}


_KEYRING = Path("/usr/share/keyrings")
_C_HEADER = Path("/usr/include/stdio.h")
_KEYRING_PACKAGE = "debian-archive-keyring"


def demand_programs() -> None:
    """Raise EdgeopsError with the one apt-get line that installs what is missing."""
    missing = {name: package for name, package in PROVIDERS.items() if shutil.which(name, path=_PATH) is None}
    if not list(_KEYRING.glob(f"{_KEYRING_PACKAGE}.*")):
        missing["the keys of Debian"] = _KEYRING_PACKAGE
    if not _C_HEADER.exists():
        missing["the C library's headers"] = "libc6-dev"
    if missing:
        packages = " ".join(dict.fromkeys(missing.values()))
        raise EdgeopsError(
            f"the lab needs what is not installed: {', '.join(missing)}", f"sudo apt-get install -y {packages}"
        )


def run(*words: str | Path, stdin: str = "", environment: Mapping[str, str] | None = None) -> str:
    """Run a program to its end and return its stdout. Raises EdgeopsError with its last lines when it fails."""
    command = [str(word) for word in words]
    done = subprocess.run(
        command,
        input=stdin,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        env=_environment(environment),
    )
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()[-15:]
        raise EdgeopsError("\n".join([f"{' '.join(command)[:300]} ended with {done.returncode}", *said]))
    return done.stdout


@dataclass(frozen=True)
class Chroot:
    """Programs of another root file system."""

    tree: Path

    def run(self, *words: str, stdin: str = "") -> str:
        """Run a program inside the tree. Raises EdgeopsError when it fails."""
        return run("chroot", self.tree, *words, stdin=stdin, environment={"DEBIAN_FRONTEND": "noninteractive"})


def _environment(extra: Mapping[str, str] | None) -> dict[str, str]:
    network = {key: value for key, value in os.environ.items() if key.lower() in _NETWORK}
    return {**network, **_ENVIRONMENT, "HOME": "/root", **(extra or {})}


_NETWORK = {
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "ssl_cert_file",
    "ssl_cert_dir",
    "requests_ca_bundle",
    "curl_ca_bundle",
}
