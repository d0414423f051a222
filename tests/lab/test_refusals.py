"""What keeps ``edgeops deploy`` from a host: told in a sentence, with a remedy, and nothing on the host is changed."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

pytestmark = pytest.mark.lab

NOT_COMPARED = ("proc", "sys", "dev", "run", "tmp", "var/log", "var/tmp", "var/lib/systemd", "var/lib/sudo")


@pytest.fixture(scope="module")
def good(lab):
    return lab.host("refuse-good")


def files_of(root: Path) -> dict[str, tuple[int, int, int]]:
    """Mode, size and time of change of everything on a host's disk, but for what any login moves."""
    found = {}
    for folder, folders, names in os.walk(root):
        inside = os.path.relpath(folder, root)
        folders[:] = [name for name in folders if os.path.normpath(f"{inside}/{name}") not in NOT_COMPARED]
        for name in names:
            about = os.lstat(f"{folder}/{name}")
            found[os.path.normpath(f"{inside}/{name}")] = (about.st_mode, about.st_size, about.st_mtime_ns)
    return found


@pytest.mark.parametrize(
    ("fault", "requirement"),
    [
        ("tensorrt-11", "tensorrt.version"),
        ("no-cudart", "cuda.runtime"),
        ("no-sudo", "host.sudo"),
        ("sudo-password", "host.sudo"),
        ("full-disk", "host.disk"),
    ],
)
def test_a_host_with_a_fault_is_refused_and_left_as_it_was(lab, commands, fault: str, requirement: str) -> None:
    host = lab.host(f"refuse-{fault}", fault)
    before = files_of(host.root)
    refused = commands.run("deploy", host.name)
    assert refused.returncode == 3, refused.stdout + refused.stderr
    lines = refused.stdout.splitlines()
    (cause,) = [number for number, line in enumerate(lines) if f"{requirement}:" in line]
    assert lines[cause].startswith(host.name)
    assert lines[cause + 1].strip().startswith("Remedy: ")
    assert "Traceback" not in refused.stdout + refused.stderr
    assert files_of(host.root) == before
    lab.drop(host.name)


def test_a_port_that_somebody_else_holds_is_told_before_anything_else(good, commands) -> None:
    before = files_of(good.root)
    with socket.create_server((good.address, 8000)):
        refused = commands.run("deploy", good.name)
    assert refused.returncode == 3
    assert "host.port" in refused.stdout
    assert "8000" in refused.stdout
    assert files_of(good.root) == before


SPY = """
while [ -e /tmp/spying ]; do
    cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -x -F -f /tmp/word >> /tmp/seen
done
"""


def test_sudo_with_a_password_works_and_no_process_list_ever_shows_it(lab, commands) -> None:
    host = lab.host("refuse-password", "sudo-password")
    host.ssh("cat > /tmp/spy", stdin=SPY)
    host.ssh("cat > /tmp/word", stdin="lab\n")
    host.ssh("touch /tmp/spying /tmp/seen; nohup sh /tmp/spy > /dev/null 2>&1 < /dev/null &")
    done = commands.run("deploy", host.name, "--ask-sudo", "--no-smoke", "--json", stdin="lab\n")
    seen = host.said("cat /tmp/seen")
    host.said("sh -c 'until [ -s /tmp/seen ]; do :; done' lab; rm /tmp/spying")  # the spy does see such a word
    assert seen == ""
    assert done.returncode == 0, done.stdout + done.stderr
    (result,) = json.loads(done.stdout)["hosts"]
    assert result["outcome"] == "deployed"
    assert host.said("systemctl is-active trtedge") == "active"
    assert host.ssh("grep -rl -x lab /etc /opt/edgeops /var/lib/edgeops 2>/dev/null").stdout == ""
    wrong = commands.run("deploy", host.name, "--ask-sudo", stdin="not-it\n")
    assert wrong.returncode == 3
    assert "host.sudo" in wrong.stdout
    lab.drop(host.name)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("deploy", "spark-99"), 2, "spark-99"),
        (("deploy", "all", "--bogus"), 2, "--bogus"),
        (("deploy",), 2, "TARGET"),
        (("-i", "nowhere.yml", "deploy", "all"), 2, "nowhere.yml"),
    ],
)
def test_a_slip_on_the_command_line_is_a_sentence(good, commands, words, code: int, said: str) -> None:
    slipped = commands.run(*words)
    assert (slipped.returncode, slipped.stdout) == (code, "")
    assert said in slipped.stderr
    assert "Traceback" not in slipped.stderr


def test_a_key_that_looks_like_one_of_ours_is_told_with_its_place(good, commands) -> None:
    with commands.settings(good.name, max_inpt_len=4096):
        slipped = commands.run("deploy", good.name)
    assert slipped.returncode == 2
    assert "max_inpt_len" in slipped.stderr
    assert "max_input_len" in slipped.stderr
    assert "inventory.yml:" in slipped.stderr


def test_a_host_that_cannot_be_reached_is_told_with_the_reason(good, commands) -> None:
    with commands.settings(good.name, ansible_port=1):
        failed = commands.run("deploy", good.name)
    assert failed.returncode == 1
    assert "Cause:" in failed.stdout
    assert "Traceback" not in failed.stdout + failed.stderr


def test_a_host_key_that_changed_is_refused(good, commands, tmp_path) -> None:
    other = tmp_path / "known_hosts"
    algorithm = "AAAAC3NzaC1lZDI1NTE5AAAAIFPeO1Jh5a2mYbqyqXJ0m4b0e3rXU0o2m2X7m3o0eWJc"
    other.write_text(f"[{good.address}]:{good.port} ssh-ed25519 {algorithm}\n")
    with commands.settings(good.name, ssh_known_hosts_file=str(other)):
        changed = commands.run("deploy", good.name)
        accepting = commands.run("deploy", good.name, "--accept-new-host-keys")
    for failed in (changed, accepting):
        assert failed.returncode == 1
        assert "host key" in failed.stdout
        assert "Traceback" not in failed.stdout + failed.stderr


def test_a_host_key_that_is_not_known_is_refused_unless_asked(good, commands, tmp_path) -> None:
    empty = tmp_path / "known_hosts"
    empty.write_text("")
    with commands.settings(good.name, ssh_known_hosts_file=str(empty)):
        unknown = commands.run("check", good.name)
        assert unknown.returncode == 1
        assert "--accept-new-host-keys" in unknown.stdout + unknown.stderr
        assert empty.read_text() == ""
        assert commands.run("check", good.name, "--accept-new-host-keys").returncode == 0
    assert good.address in empty.read_text()
