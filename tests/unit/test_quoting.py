"""What passes through a shell, a unit file or an environment file comes out as it went in, whatever it holds."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeops.errors import ConfigurationError
from edgeops.quoting import environment_value, shell, unit_word, unit_words

ONE_LINE = st.text(st.characters(exclude_categories=("Cc", "Cs")))
NASTY = [
    "",
    " ",
    "a b",
    "$HOME",
    "%n %% %",
    "'",
    '"',
    "\\",
    "`id`",
    "a;b",
    "é…",
    "a\u00adb",
    '{"k":"v"}',
    "*",
    "~",
    "-x",
    "$(id)",
    "\\n",
    "!!",
]


@pytest.mark.parametrize("value", NASTY)
def test_a_real_shell_gives_back_each_word(value: str) -> None:
    line = shell("printf", "%s\\037", value, "end")
    printed = subprocess.run(["/bin/sh", "-c", line], capture_output=True, check=True, text=True, timeout=30).stdout
    assert printed.split("\x1f")[:-1] == [value, "end"]


@given(st.lists(ONE_LINE, min_size=1))
def test_a_shell_line_splits_into_the_words_it_was_made_of(words: list[str]) -> None:
    assert shlex.split(shell(*words)) == words


@given(ONE_LINE)
def test_a_unit_word_is_read_back_by_systemds_rules(value: str) -> None:
    assert read_unit_word(unit_word(value)) == value


@given(ONE_LINE)
def test_an_environment_value_is_read_back_by_systemds_rules(value: str) -> None:
    assert read_environment_value(environment_value(value)) == value


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("/opt/a-b_1.2", "/opt/a-b_1.2"),
        ("a b", '"a b"'),
        ("100%", '"100%%"'),
        ("$HOME", '"$$HOME"'),
        ('{"k":3}', '"{\\"k\\":3}"'),
        ("C:\\x", '"C:\\\\x"'),
        ("", '""'),
    ],
)
def test_a_unit_word_is_written_like_this(value: str, written: str) -> None:
    assert unit_word(value) == written


def test_several_unit_words_have_blanks_between() -> None:
    assert unit_words(["a", "b c"]) == 'a "b c"'


@pytest.mark.parametrize("quote", [shell, unit_word, environment_value])
@pytest.mark.parametrize("character", ["\n", "\r", "\0", "\x1b", "\t", "\x7f", "\x9b"])
def test_a_control_character_goes_nowhere(quote, character: str) -> None:
    with pytest.raises(ConfigurationError, match="control characters"):
        quote(f"a{character}ExecStartPre=/bin/evil")


def read_unit_word(written: str) -> str:
    """systemd.service(5): double quotes, C escapes, then ``%%`` and ``$$``."""
    bare = written if written[:1] != '"' else _unescape(written)
    return bare.replace("%%", "%").replace("$$", "$")


def read_environment_value(written: str) -> str:
    """systemd.exec(5), EnvironmentFile=: in double quotes a backslash protects what follows."""
    return _unescape(written)


def _unescape(written: str) -> str:
    assert written[0] == written[-1] == '"'
    characters = iter(written[1:-1])
    return "".join(next(characters) if character == "\\" else character for character in characters)
