"""The program that looks at what arrived on a host: only the whole thing gets to its place."""

from __future__ import annotations

import getpass
import hashlib
import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from edgeops.engine.script import LOADER
from edgeops.locations import DEPLOYS

PROGRAM = DEPLOYS / "on_host" / "received.py"
FILES = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("a", "sub/b")}


def ask(place: Path, verb: str, *, renew: bool = False, arrival: Path | None = None) -> dict[str, Any]:
    incoming = str(arrival or f"{place}.incoming")
    plan = {"verb": verb, "place": str(place), "incoming": incoming, "login": getpass.getuser()}
    plan["owner"] = f"{os.getuid()}:{os.getgid()}"
    given = {"name": PROGRAM.name, "source": PROGRAM.read_text(), "plan": {**plan, "files": FILES, "renew": renew}}
    done = subprocess.run(
        [sys.executable, "-IS", "-c", LOADER],
        input=json.dumps(given) + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def fill(directory: Path, **contents: str) -> None:
    for name in FILES:
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(contents.get(name.replace("/", "_"), name))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "place"


def test_what_is_whole_is_moved_to_its_place_in_one_step(place: Path) -> None:
    ask(place, "prepare")
    fill(Path(f"{place}.incoming"))
    assert ask(place, "accept")["wrong"] == []
    assert ask(place, "look") == {"wrong": [], "there": True, "event": "look"}
    assert not Path(f"{place}.incoming").exists()


def test_a_wrong_byte_or_a_missing_file_stays_outside(place: Path) -> None:
    ask(place, "prepare")
    fill(Path(f"{place}.incoming"), a="A")
    (Path(f"{place}.incoming") / "sub" / "b").unlink()
    assert ask(place, "accept")["wrong"] == ["a", "sub/b"]
    assert not place.exists()


def test_a_link_is_no_file_that_was_sent(place: Path, tmp_path: Path) -> None:
    ask(place, "prepare")
    incoming = Path(f"{place}.incoming")
    fill(incoming)
    (tmp_path / "elsewhere").write_text("a")
    (incoming / "a").unlink()
    (incoming / "a").symlink_to(tmp_path / "elsewhere")
    assert ask(place, "accept")["wrong"] == ["a"]


def test_what_an_earlier_transfer_left_is_gone_on_with(place: Path) -> None:
    ask(place, "prepare")
    (Path(f"{place}.incoming") / "a").write_text("half")
    ask(place, "prepare")
    assert (Path(f"{place}.incoming") / "a").read_text() == "half"


def test_only_what_may_be_renewed_is_taken_from_its_place(place: Path) -> None:
    fill(place, a="bad")
    ask(place, "prepare")
    assert (place / "a").read_text() == "bad"
    (Path(f"{place}.incoming")).rmdir()
    ask(place, "prepare", renew=True)
    assert (Path(f"{place}.incoming") / "a").read_text() == "bad"


def test_what_arrived_elsewhere_gets_to_its_place_with_the_directories_above(place: Path, tmp_path: Path) -> None:
    arrival = tmp_path / "arrival"
    ask(place, "prepare", arrival=arrival)
    fill(arrival)
    assert ask(place, "accept", arrival=arrival)["wrong"] == []
    assert (place / "sub" / "b").read_text() == "sub/b"
    assert not arrival.exists()


def test_halves_that_a_lost_host_kept_do_not_get_to_the_place(place: Path) -> None:
    ask(place, "prepare")
    incoming = Path(f"{place}.incoming")
    fill(incoming)
    (incoming / ".a.Xy12Zz").write_text("half")
    (incoming / "sub" / ".cache").mkdir()
    assert ask(place, "accept")["wrong"] == []
    assert sorted(path.name for path in place.rglob("*")) == ["a", "b", "sub"]


def test_half_a_download_is_replaced_by_what_was_sent_while_it_was_there(place: Path) -> None:
    ask(place, "prepare")
    fill(Path(f"{place}.incoming"))
    fill(place, a="half")
    assert ask(place, "accept", renew=True)["wrong"] == []
    assert (place / "a").read_text() == "a"


def test_what_may_not_be_renewed_is_not_replaced(place: Path) -> None:
    ask(place, "prepare")
    fill(Path(f"{place}.incoming"))
    fill(place, a="somebody's")
    with pytest.raises(subprocess.CalledProcessError):
        ask(place, "accept")
    assert (place / "a").read_text() == "somebody's"


def test_another_file_system_is_reached_by_copying(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = runpy.run_path(str(PROGRAM), {"PLAN": {}})
    monkeypatch.setitem(program["move"].__globals__, "try_to_rename", lambda _source, _target: False)
    incoming = Path(f"{place}.incoming")
    fill(incoming)
    program["move"](str(incoming), str(place))
    assert (place / "sub" / "b").read_text() == "sub/b"
    assert [path.name for path in place.parent.iterdir()] == ["place"]
