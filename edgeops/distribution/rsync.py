"""rsync over OpenSSH, told to connect as the inventory says: https://download.samba.org/pub/rsync/rsync.1."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edgeops.distribution.child import run_child
from edgeops.engine import Access
from edgeops.errors import EdgeopsError
from edgeops.inventory import Host

_SILENCE_S = 120
_SENT = re.compile(r"^Literal data: ([\d,.]+)", re.MULTILINE)


@dataclass(frozen=True)
class Transfer:
    """From a directory of this machine into one of the host's. ``thorough`` compares contents, not size and time."""

    source: Path
    host: Host
    login: str
    target: str
    thorough: bool = False


def run_rsync(transfer: Transfer, access: Access) -> int:
    """Send what differs; returns the bytes of file content that went over the wire. Raises EdgeopsError.

    What was sent of a file stays there when it is cut off, and the next run goes on with it.
    """
    try:
        ended = run_child(command(transfer, access))
    except FileNotFoundError:
        raise EdgeopsError(
            "rsync is not installed on this machine", "Install it: sudo apt-get install rsync."
        ) from None
    if ended.rc:
        said = (ended.err.strip() or ended.out.strip() or "no output").splitlines()
        raise EdgeopsError(f"rsync ended with {ended.rc}: {said[0]}", _REMEDY)
    return _sent(ended.out)


_REMEDY = "Run the same command again: what arrived is kept, and the transfer goes on from there."


def command(transfer: Transfer, access: Access) -> list[str]:
    """rsync's command line. A host address with colons needs brackets."""
    address = transfer.host.address or transfer.host.name
    where = f"[{address}]" if ":" in address else address
    return [
        *("rsync", "--recursive", "--times", "--copy-links", "--delete", "--partial", "--protect-args", "--stats"),
        *(["--checksum"] if transfer.thorough else []),
        *("--exclude=.*", "--chmod=D755,F644", f"--timeout={_SILENCE_S}"),
        *("--rsh", shlex.join(ssh(transfer.host, transfer.login, access))),
        *("--", f"{transfer.source}/", f"{where}:{transfer.target}/"),
    ]


def ssh(host: Host, login: str, access: Access) -> list[str]:
    """OpenSSH with the host's key, port, known hosts and configuration; jump hosts come from the latter.

    Raises EdgeopsError for a login with a password, which OpenSSH takes from a terminal only.
    """
    given: Mapping[str, Any] = host.ssh
    if given.get("ssh_password") or given.get("ssh_key_password"):
        raise EdgeopsError(
            f"{host.name}: rsync cannot log in with a password of the inventory",
            "Use a key without one, or an agent; or deploy without --distribute.",
        )
    strict = "accept-new" if access.accept_new else "yes"
    options = {"BatchMode": "yes", "StrictHostKeyChecking": strict, "ConnectTimeout": "10", "ServerAliveInterval": "15"}
    if known := given.get("ssh_known_hosts_file"):
        options["UserKnownHostsFile"] = str(known)
    words = ["ssh", "-l", login]
    words += ["-p", str(host.port)] if host.port else []
    words += ["-F", str(given["ssh_config_file"])] if given.get("ssh_config_file") else []
    words += ["-i", str(given["ssh_key"]), "-o", "IdentitiesOnly=yes"] if given.get("ssh_key") else []
    return [*words, *(word for key, value in options.items() for word in ("-o", f"{key}={value}"))]


def _sent(said: str) -> int:
    found = _SENT.search(said)
    return int(re.sub(r"\D", "", found[1])) if found else 0
