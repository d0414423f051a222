"""The probe script, run by real shells, and what is read from its output."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeops.errors import EdgeopsError
from edgeops.snapshot import Answer
from edgeops.snapshot.probes import IDS, LANES, Probe
from edgeops.snapshot.script import COMMAND, OUTPUT_LIMIT, parse, script, simulated, take

SHELLS = [shell for shell in ("dash", "bash") if shutil.which(shell)]
ABSENT = "/no/such/python3"
"""The interpreter of a host without one: there the shell asks."""


@dataclass(frozen=True)
class Asker:
    """Who asks on the host."""

    python: str
    shell: str = "sh"

    def answers(self, *lanes: tuple[Probe, ...]) -> dict[str, Answer]:
        text = script(lanes, self.python)
        done = subprocess.run([self.shell, "-s"], input=text, capture_output=True, text=True, timeout=120, check=True)
        assert done.stderr == ""
        return dict(parse(done.stdout))


@pytest.fixture(params=["python", *SHELLS])
def asker(request: pytest.FixtureRequest) -> Asker:
    return Asker(sys.executable) if request.param == "python" else Asker(ABSENT, request.param)


def test_every_probe_answers_whoever_asks_and_the_script_ends_well(asker: Asker) -> None:
    assert set(asker.answers(*LANES)) == IDS


def test_both_ways_to_ask_find_the_same() -> None:
    lanes = (
        (
            Probe("file", "exec cat /etc/os-release", 5, "/etc/os-release"),
            Probe("missing", "exec cat /no/such/file", 5, "/no/such/file"),
        ),
        (Probe("both", "echo out; echo err >&2; exit 3"),),
        (Probe("environment", 'echo "$PATH" "$LC_ALL" "$AS_ROOT"; pwd'),),
    )
    assert Asker(sys.executable).answers(*lanes) == Asker(ABSENT).answers(*lanes)


def test_a_probe_that_is_killed_has_the_exit_code_that_a_shell_gives_it(asker: Asker) -> None:
    assert asker.answers((Probe("killed", "kill -9 $$"),))["killed"].rc == 128 + 9


def test_a_python_that_breaks_off_leaves_it_to_the_shell(tmp_path: Path) -> None:
    broken = tmp_path / "python3"
    broken.write_text("#!/bin/sh\necho '@half 0 '\nexit 1\n")
    broken.chmod(0o755)
    assert Asker(str(broken)).answers((Probe("next", "echo here"),))["next"].out == "here\n"


def test_output_error_text_and_exit_code_are_kept_apart(asker: Asker) -> None:
    found = asker.answers((Probe("both", "echo out; echo err >&2; exit 3"),))
    assert found["both"] == Answer(3, "out\n", "err\n")


def test_a_missing_file_is_1_and_a_missing_command_127(asker: Asker) -> None:
    found = asker.answers((Probe("file", "exec cat /no/such/file"), Probe("command", "exec no-such-command")))
    assert (found["file"].rc, found["file"].out) == (1, "")
    assert (found["command"].rc, found["command"].out) == (127, "")


def test_a_hanging_probe_is_cut_off_and_the_others_answer(asker: Asker) -> None:
    found = asker.answers(
        (Probe("hangs", "echo begun; sleep 300", 1), Probe("next", "echo here")), (Probe("beside", "echo too"),)
    )
    assert found["hangs"] == Answer(124, "begun\n", "")
    assert (found["next"].out, found["beside"].out) == ("here\n", "too\n")


def test_any_bytes_survive_the_transport(asker: Asker) -> None:
    found = asker.answers((Probe("bytes", r"printf 'a\0b\r\n\377\033[0m'"),))
    assert found["bytes"].out == "a\0b\r\n\ufffd\x1b[0m"


def test_an_endless_output_is_bounded_and_its_exit_code_kept(asker: Asker) -> None:
    found = asker.answers((Probe("endless", f"head -c {OUTPUT_LIMIT + 4096} /dev/zero | tr '\\0' x; exit 7"),))
    assert (found["endless"].rc, len(found["endless"].out)) == (7, OUTPUT_LIMIT)


def test_a_probe_cannot_eat_the_script_from_standard_input(asker: Asker) -> None:
    found = asker.answers((Probe("eats", "cat"), Probe("next", "echo here")))
    assert (found["eats"].out, found["next"].out) == ("", "here\n")


def test_long_answers_of_lanes_are_not_mixed_up(asker: Asker) -> None:
    lanes = tuple(
        tuple(Probe(f"p{lane}{n}", f"head -c 200000 /dev/zero | tr '\\0' {letter}") for n in "12")
        for lane, letter in enumerate("abcd")
    )
    found = asker.answers(*lanes)
    assert len(found) == 9
    assert {found[f"p{lane}1"].out for lane in range(4)} == {letter * 200000 for letter in "abcd"}


def test_the_script_writes_no_file() -> None:
    asked_by_python, _, text = script().partition("then exit 0; fi")
    assert set(re.findall(r"open\(\w+, .*?\)", asked_by_python)) == {'open(path, "rb")'}
    targets = set(re.findall(r"(?<![-=<])>{1,2}\s*([^\s;)}|]+)", re.sub(r"\$5 > 0", "", text)))
    assert {target.strip("'\"") for target in targets} <= {"/dev/null", "&1", "&2", "&3", "&3;", "&-"}
    assert not re.search(r"\b(mktemp|tee|touch|mkdir)\b", text)


def test_ids_are_unique() -> None:
    assert len([probe for lane in LANES for probe in lane]) + 1 == len(IDS)


LINE = "@uname 0 TGludXggNi44IGFhcmNoNjQK. ."


def test_a_banner_before_the_answers_and_line_ends_of_windows_do_no_harm() -> None:
    found = parse(f"Welcome to spark!\r\n@motd\r\n\r\n@begin simulated=no\r\n{LINE}\r\n")
    assert found == {"uname": Answer(0, "Linux 6.8 aarch64\n", "")}


def test_a_cut_off_line_is_no_answer() -> None:
    assert set(parse(f"{LINE}\n@glibc 0 Z2xpYmM")) == {"uname"}


@pytest.mark.parametrize(
    "line", ["@uname 0 %%%. .", "@uname x . .", "@uname 0 .", "@UNAME 0 . .", "uname 0 . .", "@uname 0 A. ."]
)
def test_a_line_that_is_not_of_the_script_is_no_answer(line: str) -> None:
    assert parse(line).get("uname", Answer(0)).out == ""


@given(st.text())
def test_reading_never_raises(text: str) -> None:
    assert isinstance(parse(text), dict)
    assert isinstance(simulated(text), bool)


def test_a_lab_host_is_simulated_and_only_it() -> None:
    assert simulated("x\n@begin simulated=yes\n")
    assert not simulated("@begin simulated=no\n")
    assert not simulated("")


@dataclass
class FakeSession:
    """Counts what would have gone over SSH."""

    password: str | None = None
    commands: list[tuple[str, bool]] = field(default_factory=list)
    host: Any = field(default_factory=lambda: SimpleNamespace(name="spark-01"))

    @property
    def access(self) -> Any:
        return SimpleNamespace(password=self.password)

    def run(self, command: str, *, sudo: bool = False, stdin: str = "", timeout: float = 60) -> Answer:
        self.commands.append((command, sudo))
        if sudo:
            return Answer(1, "", "sudo: 1 incorrect password attempt\n")
        return Answer(0, f"\n@begin simulated=yes\n@sudo 0 . .\n{LINE}\n")


def test_a_snapshot_takes_one_command() -> None:
    session = FakeSession()
    snapshot = take(session)
    assert session.commands == [(COMMAND, False)]
    assert (snapshot.host, snapshot.simulated, snapshot.answer("uname").out) == (
        "spark-01",
        True,
        "Linux 6.8 aarch64\n",
    )
    assert snapshot.answer("sudo").rc == 0


def test_a_given_password_takes_a_second_command_and_its_answer_counts() -> None:
    session = FakeSession(password="guess")
    snapshot = take(session)
    assert session.commands == [(COMMAND, False), ("true", True)]
    assert snapshot.answer("sudo") == Answer(1, "", "sudo: 1 incorrect password attempt\n")


def test_a_login_that_runs_no_script_is_a_sentence_with_its_own_words() -> None:
    session = SimpleNamespace(
        host=SimpleNamespace(name="h"),
        access=SimpleNamespace(password=None),
        run=lambda *_, **__: Answer(1, "This account is currently not available.\n"),
    )
    with pytest.raises(EdgeopsError, match=r"exit code 1.*This account is currently not available"):
        take(session)
