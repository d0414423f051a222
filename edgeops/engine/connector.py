"""pyinfra's SSH connector with its own command path: exit codes kept, bytes that are no UTF-8 survive, nothing ever
asks.

pyinfra 3.10 drops the exit code, loses the rest of an output at the first byte that is not UTF-8, prompts for a sudo
password in the middle of a run and shows it in ``/proc``, lets EOFError of a dying connection end the run of all
hosts, and leaves connections open. All of it is replaced here; the wire format of commands is in command.py.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gevent
from paramiko import Channel, SFTPClient, SSHException
from pyinfra.api.command import StringCommand
from pyinfra.api.exceptions import ConnectError
from pyinfra.connectors.ssh import SSHConnector
from pyinfra.connectors.sshuserclient import client as ssh_client
from pyinfra.connectors.util import CommandOutput, OutputLine, make_unix_command

from edgeops.engine.access import Access
from edgeops.engine.command import Call, Sent, wrapped
from edgeops.engine.transport import CHANNEL_TIMEOUT_S
from edgeops.snapshot import Answer

TRANSFER_SILENCE_S = 30.0
_SUDO_ARGUMENTS = ("_sudo", "_sudo_user", "_use_sudo_login", "_sudo_password", "_preserve_sudo_env")

# A jump host gets no policy from pyinfra and would be asked about with input(), in the middle of a run.
ssh_client.AskPolicy = ssh_client.StrictPolicy  # type: ignore[misc,assignment]

OnLine = Callable[[str], None]


class ConnectionLost(SSHException):
    """The connection ended before an exit code came: what the command did is not known."""


class EdgeSSH(SSHConnector):
    """One host's connection. ``access`` is set by the runner before connecting."""

    access = Access()
    last_failure = ""
    """Why the last command or transfer failed, in one line; empty if it did not."""
    given_up = ""
    """Why the connection was ended from our side while something was waiting on it."""
    _transfers: SFTPClient | None = None

    def connect(self) -> None:
        try:
            super().connect()
        except ConnectError as error:
            self.close()
            raise ConnectError(explained(str(error))) from error
        except Exception as error:
            self.close()
            raise ConnectError(explained(f"{type(error).__name__}: {error}")) from error

    def disconnect(self) -> None:
        self.close()

    def give_up(self, reason: str) -> None:
        """End the connection: whatever waits for the host's answer fails with ``reason``, now."""
        self.given_up = reason
        self.close()

    def close(self) -> None:
        self._transfers = None
        if self.client is not None:
            self.client.close()

    @property
    def login(self) -> str:
        """The user that logged in, whichever configuration named it."""
        transport = self.client.get_transport() if self.client else None
        return (transport.get_username() if transport else "") or ""

    def execute(self, call: Call, timeout: float | None = None, on_line: OnLine | None = None) -> Answer:
        """Run ``call``; rc 124 when ``timeout`` seconds pass. Raises ConnectionLost."""
        self.last_failure = ""
        try:
            answer = self._execute(wrapped(call, self.login, self.access.password), call.pty, timeout, on_line)
        except (EOFError, OSError, SSHException) as error:
            lost = f"connection lost: {error}" if str(error) else "connection lost"
            self.last_failure = self.given_up or lost
            raise ConnectionLost(self.last_failure) from error
        if answer.rc:
            self.last_failure = f"{_last_line(answer)} (exit {answer.rc})"
        return answer

    def _execute(self, sent: Sent, pty: bool, timeout: float | None, on_line: OnLine | None) -> Answer:
        transport = self.client.get_transport() if self.client else None
        if transport is None:
            raise SSHException("not connected")
        channel = transport.open_session(timeout=CHANNEL_TIMEOUT_S)
        try:
            if pty:
                channel.get_pty()
            channel.exec_command(sent.line)
            return _converse(channel, sent.stdin, timeout, on_line)
        finally:
            channel.close()  # a command with a terminal ends with it, another one at its next write

    def run_shell_command(
        self, command: Any, print_output: bool = False, print_input: bool = False, **arguments: Any
    ) -> tuple[bool, CommandOutput]:
        """pyinfra's entry: facts and operations come through here."""
        success = arguments.pop("_success_exit_codes", None) or [0]
        stdin = arguments.pop("_stdin", None) or ""
        timeout, pty = arguments.pop("_timeout", None), arguments.pop("_get_pty", False)
        sudo, user, *_ = (arguments.pop(name, None) for name in _SUDO_ARGUMENTS)
        line = make_unix_command(_as_command(command), **arguments).get_raw_value()
        answer = self.execute(Call(line, bool(sudo), user, _as_text(stdin), bool(pty)), timeout or None)
        if answer.rc == 124 and timeout:
            self.last_failure = f"not finished after {timeout:g} s"
        return answer.rc in success, _output(answer)

    def get_file_transfer_connection(self) -> SFTPClient:
        if self._transfers is None:
            transport = self.client.get_transport() if self.client else None
            if transport is None or (sftp := SFTPClient.from_transport(transport)) is None:
                raise SSHException("no connection for a file transfer")
            if (channel := sftp.get_channel()) is not None:
                channel.settimeout(TRANSFER_SILENCE_S)
            self._transfers = sftp
        return self._transfers

    def _put_file(self, *args: Any, **kwargs: Any) -> None:
        self.last_failure = ""
        try:
            super()._put_file(*args, **kwargs)  # type: ignore[no-untyped-call]
        except EOFError as error:  # pyinfra expects OSError and SSHException only
            self.last_failure = "connection lost"
            raise SSHException(self.last_failure) from error
        except (OSError, SSHException) as error:
            self.last_failure = str(error) or type(error).__name__
            raise


def _converse(channel: Channel, stdin: bytes, timeout: float | None, on_line: OnLine | None) -> Answer:
    """Feed ``stdin``, read both streams at once, wait for the exit code."""
    out, err = bytearray(), bytearray()
    readers = [
        gevent.spawn(_read, channel.recv, out, on_line),
        gevent.spawn(_read, channel.recv_stderr, err, None),
    ]
    try:
        with gevent.Timeout(timeout) as timer:
            if stdin:
                channel.sendall(stdin)
            channel.shutdown_write()
            gevent.joinall(readers, raise_error=True)
            code = channel.recv_exit_status()
    except gevent.Timeout as expired:
        if expired is not timer:
            raise
        return Answer(124, _text(out), _text(err))
    finally:
        gevent.killall(readers, block=False)
    if code == -1:
        raise ConnectionLost("")
    return Answer(code, _text(out), _text(err))


def _read(receive: Callable[[int], bytes], into: bytearray, on_line: OnLine | None) -> None:
    told = 0
    while chunk := receive(65536):
        into += chunk
        while on_line and (end := into.find(b"\n", told)) >= 0:
            on_line(_text(into[told:end]))
            told = end + 1


def _text(raw: bytes | bytearray) -> str:
    return raw.decode("utf-8", "replace")


def _as_command(command: Any) -> StringCommand:
    return command if isinstance(command, StringCommand) else StringCommand(command)


def _as_text(stdin: Any) -> str:
    if hasattr(stdin, "read"):
        stdin = stdin.read()
    return stdin if isinstance(stdin, str) else "\n".join(stdin)


def _output(answer: Answer) -> CommandOutput:
    lines = [OutputLine("stdout", line) for line in answer.out.splitlines()]
    return CommandOutput(lines + [OutputLine("stderr", line) for line in answer.err.splitlines()])


def _last_line(answer: Answer) -> str:
    text = (answer.err or answer.out).strip()
    return text.splitlines()[-1] if text else "no output"


def explained(reason: str) -> str:
    """pyinfra's and paramiko's words for why a host cannot be reached, as a sentence with what to do about it."""
    for sign, sentence in _REASONS:
        if sign in reason:
            return f"{sentence} ({reason})"
    return reason


_REASONS = (
    (
        "No host key for",
        "its host key is not in known_hosts: compare it once with ssh, or pass --accept-new-host-keys",
    ),
    ("does not match", "its host key is not the one in known_hosts: another machine, or one that was installed anew"),
    ("No authentication methods", "there is no key to log in with: name one in the inventory, or start an agent"),
    ("Authentication", "it refused the login: check user, key and agent with ssh"),
    ("Could not resolve", "its name is not known: check ansible_host, or use the address"),
    ("timed out", "nothing answers at its address: is it on, and is the port right?"),
    ("Connection refused", "its SSH port is closed: is sshd running there, and is the port right?"),
    ("Unable to connect", "nothing listens at its address and port"),
)


def make_known_hosts_writable() -> None:
    """accept-new appends to ``~/.ssh/known_hosts`` and fails as "Could not connect" where ``~/.ssh`` does not exist."""
    (Path.home() / ".ssh").mkdir(mode=0o700, exist_ok=True)


def forget_known_hosts() -> None:
    """pyinfra keeps host keys for the life of the process; a run reads them afresh."""
    ssh_client.get_host_keys.cache.clear()
