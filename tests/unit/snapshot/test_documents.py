"""Snapshots as files: what goes out comes in again, and what is no snapshot is said to be none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeops.errors import ConfigurationError
from edgeops.snapshot import Answer, Snapshot
from edgeops.snapshot.documents import document, read, snapshot_of

TEXT = st.text(alphabet=st.characters(exclude_categories=("Cs",)))
ANSWERS = st.builds(Answer, st.integers(0, 255), TEXT, TEXT)
SNAPSHOTS = st.builds(
    Snapshot, TEXT.filter(bool).map(lambda t: t[:200]), TEXT, st.booleans(), st.dictionaries(TEXT, ANSWERS)
)


@given(SNAPSHOTS)
def test_what_goes_out_comes_in_again(snapshot: Snapshot) -> None:
    assert snapshot_of(json.loads(json.dumps(document(snapshot)))) == snapshot


GOOD: dict[str, Any] = document(Snapshot("spark-01", "2026-11-30T09:00:00+00:00", False, {"uname": Answer(0, "Linux")}))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([], "not a snapshot"),
        (GOOD | {"schema": "edgeops.snapshot/2"}, "edgeops.snapshot/2"),
        (GOOD | {"host": 3}, "host"),
        (GOOD | {"simulated": "no"}, "simulated"),
        (GOOD | {"probes": {"uname": {"rc": "0"}}}, "probes.uname.rc"),
        (GOOD | {"probes": ["uname"]}, "probes"),
        ({key: item for key, item in GOOD.items() if key != "taken_at"}, "taken_at"),
    ],
)
def test_a_fault_in_a_snapshot_is_named(value: Any, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words) as error:
        snapshot_of(value, "x.json")
    assert "x.json" in error.value.message


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"[" * 100_000, b"{}", b"null", b'"text"'])
def test_a_file_of_anything_is_refused_with_a_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"x\.json"):
        read(path)


def test_a_file_that_is_not_there_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read(tmp_path / "none.json")
