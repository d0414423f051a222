"""How a line reaches a host's shell, for whom, and what goes with it: executed by a real sh where that can show
something."""

from __future__ import annotations

import subprocess

import pytest

from edgeops.engine.command import Call, wrapped

HOSTILE = ["plain", "two words", "it's", '"quoted"', "$HOME `id` $(id)", "; rm -rf /", "a\\b", "é—漢", "--flag"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_word_reaches_the_command_as_it_was(text: str) -> None:
    from edgeops.quoting import shell

    sent = wrapped(Call(shell("printf", "%s", text)), "nvidia", None)
    assert subprocess.run(["sh", "-c", sent.line], capture_output=True, check=True).stdout.decode() == text


def test_root_needs_no_sudo() -> None:
    assert "sudo" not in wrapped(Call("id", sudo=True), "root", None).line


def test_another_user_is_reached_through_sudo_without_asking() -> None:
    sent = wrapped(Call("id", user="trtedge"), "nvidia", None)
    assert sent.line.startswith("sudo -n -H -u trtedge sh -c ")


def test_the_password_is_on_standard_input_and_nowhere_else() -> None:
    sent = wrapped(Call("id", sudo=True, stdin="payload"), "nvidia", "s3cret word")
    assert "s3cret" not in sent.line
    assert sent.stdin.startswith(b"s3cret word\n")
    assert "s3cret" not in repr(sent)


@pytest.mark.parametrize("sudo_takes_the_password", [True, False])
def test_the_command_reads_its_own_input_whether_or_not_sudo_wanted_the_password(
    tmp_path, sudo_takes_the_password: bool
) -> None:
    fake = tmp_path / "sudo"
    take = "IFS= read -r password; " if sudo_takes_the_password else ""
    fake.write_text(f'#!/bin/sh\n{take}while [ "$1" != sh ]; do shift; done; exec "$@"\n')
    fake.chmod(0o755)
    sent = wrapped(Call("cat", sudo=True, stdin="first\nsecond"), "nvidia", "lab")
    ran = subprocess.run(
        ["sh", "-c", sent.line],
        input=sent.stdin,
        capture_output=True,
        check=True,
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
    )
    assert ran.stdout == b"first\nsecond"


def test_root_becomes_the_service_user_with_its_home() -> None:
    sent = wrapped(Call("echo $HOME", user="nobody"), "root", None)
    assert subprocess.run(["sh", "-c", sent.line], capture_output=True, check=True).stdout == b"/nonexistent\n"
