"""Models by their id, through the hub's real client in its own process, from a fake hub on the loopback."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path

import gevent
import pytest

from edgeops.distribution import Wanted, checkpoint_files, commit_of, is_fetched, parcel_of
from edgeops.distribution.hub import trouble
from edgeops.errors import EdgeopsError
from edgeops.runs import Run, new_run
from tests.lab.fake_hub import FakeHub

SOURCE = "acme/Tiny"
TOKEN = "hf_of_the_operator"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    with FakeHub("127.0.0.1").serving() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        hub.publish(SOURCE, config_json="{}", weights_bin="w" * 5000)
        yield hub


@pytest.fixture
def run(hub: FakeHub) -> Run:
    return new_run("deploy")


def test_all_hosts_of_a_run_get_the_commit_that_was_seen_first(hub: FakeHub, run: Run) -> None:
    first = hub.commits[SOURCE]
    wanted = [Wanted(SOURCE, token=TOKEN), Wanted(SOURCE)]
    together = [gevent.spawn(commit_of, one, run) for one in wanted]
    assert [job.get() for job in together] == [first, first]
    second = hub.publish(SOURCE, config_json="{}")
    assert commit_of(Wanted(SOURCE), Run(run.name, run.directory)) == first
    assert hub.asked == [f"/api/models/{SOURCE}"]
    assert commit_of(Wanted(SOURCE), new_run("deploy")) == second


def test_hosts_that_want_the_same_files_wait_for_one_download(hub: FakeHub) -> None:
    wanted = Wanted(SOURCE, hub.commits[SOURCE], TOKEN)
    places = [job.get() for job in [gevent.spawn(checkpoint_files, wanted) for _ in range(3)]]
    assert len(set(places)) == 1
    assert set(parcel_of(places[0]).files) == {"config.json", "weights.bin"}
    assert sorted(hub.sent) == [f"{SOURCE}/config.json", f"{SOURCE}/weights.bin"]
    assert hub.tokens == {TOKEN}
    held = [path.read_bytes() for path in Path().rglob("*") if path.is_file()]
    assert not any(TOKEN.encode() in content for content in held)


def test_a_download_that_was_cut_off_goes_on_with_the_files_that_are_whole(hub: FakeHub) -> None:
    wanted = Wanted(SOURCE, hub.commits[SOURCE])
    hub.lost.add(f"{SOURCE}/weights.bin")
    with pytest.raises(EdgeopsError, match=r"weights\.bin"):
        checkpoint_files(wanted)
    assert not is_fetched(wanted)
    assert hub.sent == [f"{SOURCE}/config.json"]
    hub.lost.clear()
    hub.sent.clear()
    # As in the next run: in this one, the hosts that follow are told the same at once.
    place = checkpoint_files(Wanted(wanted.source, wanted.revision, "of another run"))
    assert hub.sent == [f"{SOURCE}/weights.bin"]
    assert (place / "weights.bin").read_bytes() == b"w" * 5000


@pytest.mark.parametrize(
    ("wanted", "says", "do"),
    [
        (Wanted("acme/Nowhere"), "no such model", "name"),
        (Wanted("acme/Gated"), "let in", "hf_token_file"),
        (Wanted(SOURCE, "v9"), "no such commit, tag or branch", "model_revision"),
        (Wanted("not an id"), "alphanumeric", "name"),
    ],
)
def test_what_the_hub_refuses_is_a_sentence_and_a_remedy(
    hub: FakeHub, run: Run, wanted: Wanted, says: str, do: str
) -> None:
    hub.publish("acme/Gated", config_json="{}")
    hub.gated.add("acme/Gated")
    with pytest.raises(EdgeopsError, match=says) as refused:
        commit_of(wanted, run)
    assert do in refused.value.remedy
    asked = len(hub.asked)
    with pytest.raises(EdgeopsError, match=says):
        commit_of(wanted, run)
    assert len(hub.asked) == asked  # the next host is told at once


def test_without_a_way_to_the_hub_the_remedy_names_what_counts(
    hub: FakeHub, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    with pytest.raises(EdgeopsError, match="refused") as offline:
        commit_of(Wanted(SOURCE, token=TOKEN), run)
    assert "HF_ENDPOINT" in offline.value.remedy


@pytest.mark.parametrize("revision", ["", "main", "../../../tmp", "F" * 40])
def test_only_a_commit_becomes_a_path(revision: str) -> None:
    with pytest.raises(EdgeopsError, match="no commit"):
        checkpoint_files(Wanted(SOURCE, revision))


@pytest.mark.parametrize("source", ["..", "../x", "a/b/c", ".edgeops", "a b/c"])
def test_only_an_id_becomes_a_path(source: str) -> None:
    with pytest.raises(EdgeopsError, match="no id"):
        checkpoint_files(Wanted(source, "a" * 40))


def test_a_full_disk_is_told_as_that() -> None:
    full = {"error": "[Errno 28] No space left on device", "errno": errno.ENOSPC, "kinds": ["OSError"]}
    error = trouble(Wanted(SOURCE), full)
    assert "No space left" in error.message
    assert "room" in error.remedy


def test_a_token_is_not_in_what_is_printed_of_a_wish() -> None:
    assert TOKEN not in f"{Wanted(SOURCE, token=TOKEN)!r} {Wanted(SOURCE, token=TOKEN)}"
