"""Ways into a host: ``~/.ssh/config``, an agent, a jump host, all with real OpenSSH servers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def hosts(lab):
    return lab.host("ssh-inner"), lab.host("ssh-jump")


@pytest.fixture
def home(hosts, tmp_path, monkeypatch) -> Path:
    """A home whose ssh configuration reaches ``inner`` through ``jump``, and an inventory that names it."""
    inner, jump = hosts
    (tmp_path / ".ssh").mkdir(mode=0o700)
    common = f"  Port {inner.port}\n  User {inner.user}\n  UserKnownHostsFile {inner.known_hosts}\n"
    (tmp_path / ".ssh/config").write_text(
        f"Host jump\n  HostName {jump.address}\n  IdentityFile {inner.key}\n{common}"
        f"Host inner\n  HostName {inner.address}\n  IdentityFile {inner.key}\n  ProxyJump jump\n{common}"
        f"Host by-agent\n  HostName {inner.address}\n{common}"
    )
    names = "".join(f"    {name}:\n      bind: {inner.address}\n" for name in ("inner", "by-agent"))
    (tmp_path / "fleet.yml").write_text(f"all:\n  hosts:\n{names}")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    return tmp_path


def logins(host) -> int:
    return int(host.said("sudo journalctl -q -o cat -u ssh | grep -c 'Accepted publickey'"))


def test_a_host_behind_a_jump_host_is_reached_through_it(home, hosts, commands) -> None:
    _, jump = hosts
    before = logins(jump)
    checked = commands.run("-i", str(home / "fleet.yml"), "check", "inner")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert logins(jump) >= before + 2  # ours, and the one that counts


def test_a_jump_host_whose_key_is_not_known_is_a_sentence_and_no_question(home, commands) -> None:
    config = (home / ".ssh/config").read_text()
    known = "  UserKnownHostsFile " + str(home / "empty")
    first, rest = config.split("Host inner", 1)
    lines = [known if "UserKnownHostsFile" in line else line for line in first.splitlines()]
    (home / "empty").write_text("")
    (home / ".ssh/config").write_text("\n".join(lines) + "\nHost inner" + rest)
    refused = commands.run("-i", str(home / "fleet.yml"), "check", "inner", stdin="y\n")
    assert refused.returncode == 1
    assert "host key is not in known_hosts" in refused.stdout + refused.stderr
    assert "Traceback" not in refused.stdout + refused.stderr


def test_a_key_in_an_agent_is_used(home, hosts, commands, monkeypatch) -> None:
    inner, _ = hosts
    started = subprocess.run(["ssh-agent", "-s"], capture_output=True, text=True, check=True).stdout
    values = dict(part.split(";")[0].split("=") for part in started.splitlines() if part.startswith("SSH_"))
    try:
        subprocess.run(["ssh-add", "-q", str(inner.key)], env={**os.environ, **values}, check=True)
        monkeypatch.setenv("SSH_AUTH_SOCK", values["SSH_AUTH_SOCK"])
        checked = commands.run("-i", str(home / "fleet.yml"), "check", "by-agent")
    finally:
        subprocess.run(["kill", values["SSH_AGENT_PID"]], check=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_login_without_a_key_is_refused_with_a_sentence(home, commands) -> None:
    refused = commands.run("-i", str(home / "fleet.yml"), "check", "by-agent")
    assert refused.returncode == 1
    assert "no key to log in with" in refused.stdout + refused.stderr
    assert "Traceback" not in refused.stdout + refused.stderr
