"""A secret is one word in a file; what is wrong is told with the file's name and never with what it holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from edgeops.errors import EdgeopsError
from edgeops.secret_files import read_secret


def test_the_word_is_read_without_the_line_end(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("s3cret\n")
    assert read_secret(tmp_path / "key") == "s3cret"


def test_no_file_is_no_secret() -> None:
    assert read_secret(None) == ""


@pytest.mark.parametrize("content", [b"", b"\n", b"s3cret two", b"s3cret\nmore", b"s3cret\x00", b"s3cret\xff"])
def test_anything_else_is_a_sentence_that_does_not_show_it(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "key").write_bytes(content)
    with pytest.raises(EdgeopsError) as told:
        read_secret(tmp_path / "key")
    assert str(tmp_path / "key") in told.value.message
    assert "s3cret" not in told.value.message


def test_a_file_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(EdgeopsError, match="No such file"):
        read_secret(tmp_path / "nowhere")
