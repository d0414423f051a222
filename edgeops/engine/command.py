"""What is sent to a host's shell: a command line wrapped for its user, and what goes with it on standard input."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field

_STDIN_BEGINS = "edgeops-stdin-begins-here"


@dataclass(frozen=True)
class Call:
    """One line of POSIX shell. ``user`` implies ``sudo``; ``stdin`` is text or bytes for the command itself."""

    line: str
    sudo: bool = False
    user: str | None = None
    stdin: str | bytes = field(default="", repr=False)
    pty: bool = False


@dataclass(frozen=True)
class Sent:
    """What goes over the wire."""

    line: str
    stdin: bytes = field(repr=False)


def wrapped(call: Call, login: str, password: str | None) -> Sent:
    """``call`` as user ``login`` sends it.

    A sudo password travels on standard input only, so that it is never on a command line (``/proc/*/cmdline`` is
    readable by all). sudo takes it only if it wants one, so the inner shell skips all lines up to a marker before the
    command may read.
    """
    stdin = call.stdin.encode() if isinstance(call.stdin, str) else call.stdin
    inner = f"sh -c {shlex.quote(call.line)}"
    if not (call.sudo or call.user) or (login == "root" and not call.user):
        return Sent(inner, stdin)
    if login == "root":
        # su, not runuser: it sets HOME. A service user has no shell of its own.
        return Sent(f"su -s /bin/sh -c {shlex.quote(call.line)} {shlex.quote(call.user or 'root')}", stdin)
    target = f"-u {shlex.quote(call.user)} " if call.user else ""
    if password is None:
        return Sent(f"sudo -n -H {target}{inner}", stdin)
    skip = f'while IFS= read -r line && [ "$line" != {_STDIN_BEGINS} ]; do :; done; exec {inner}'
    preamble = f"{password}\n{_STDIN_BEGINS}\n".encode()
    return Sent(f"sudo -S -p '' -H {target}sh -c {shlex.quote(skip)}", preamble + stdin)
