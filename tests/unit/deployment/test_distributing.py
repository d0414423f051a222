"""Which checkpoints this machine sends, and what it says where it has none to send."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from edgeops import layout
from edgeops.deployment.context import Work
from edgeops.deployment.distributing import is_sent, send_models
from edgeops.deployment.phases import PhaseLog, PhaseNotes
from edgeops.desired import Checkpoint
from edgeops.errors import EdgeopsError
from edgeops.settings import Settings

COMMIT = "0123456789" * 4
TINY = Checkpoint("acme/Tiny", layout.model_directory("acme/Tiny", COMMIT), COMMIT)


def notes(told: list[str]) -> PhaseNotes:
    return PhaseNotes(PhaseLog("spark-01", lambda _host, phase: told.append(phase.detail)), "stage")


def test_an_id_is_sent_and_a_directory_where_this_machine_has_it(tmp_path: Path) -> None:
    here = Checkpoint(str(tmp_path), str(tmp_path))
    assert is_sent(TINY)
    assert not is_sent(here)
    (tmp_path / "config.json").write_text("{}")
    assert is_sent(here)


def test_offline_nobody_asks_the_hub_and_what_is_nowhere_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # Whoever would go to the hub, or to the host, had to use more of it than its settings.
    work: Any = SimpleNamespace(settings=Settings(model=TINY.source, hf_offline=True))
    told: list[str] = []
    with pytest.raises(EdgeopsError, match="hf_offline is set, and neither the host nor this machine") as refused:
        send_models(cast(Work, work), [TINY], notes(told))
    assert "hf_offline: false" in refused.value.remedy
    assert told == []
    assert not (tmp_path / ".edgeops").exists()
