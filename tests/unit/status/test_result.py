"""The document of a status: its promised keys, its exit code, the last measurement, and what a person reads."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from edgeops.lock import Holder
from edgeops.report.status import age, rendered
from edgeops.server import Proof
from edgeops.status.comparing import drifts, notes
from edgeops.status.past import last_smokes
from edgeops.status.result import HostStatus, Status, document
from edgeops.status.seen import Seen, running_in
from tests.unit.status.healthy import healthy, running, there

PROMISED = ["host", "platform", "simulated", "ok", "release", "unit", "health", "last_proof", "last_smoke", "drift"]
NOW = datetime(2026, 11, 30, 21, 0, 0, tzinfo=timezone.utc)


def status(seen: Seen, **more: Any) -> HostStatus:
    return HostStatus(seen.host.name, seen, drifts(seen), notes(seen), **more)


def entry(host: HostStatus) -> dict[str, Any]:
    (found,) = document([host])["hosts"]
    return found  # type: ignore[no-any-return]


def printed(*hosts: HostStatus) -> str:
    console = Console(file=io.StringIO(), width=160, highlight=False)
    console.print(rendered(document(hosts), NOW))
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_a_healthy_host_has_all_that_was_promised() -> None:
    found = entry(status(healthy()))
    assert set(PROMISED) <= set(found)
    assert found["unit"] == {"active": "active", "main_pid": 4711, "restarts": 0, "since": "2026-11-30T18:00:00+00:00"}
    assert found["health"] == {"ready": True, "method": "dspark", "model": "model"}
    assert (found["ok"], found["state"], found["drift"]) == (True, "ok", [])
    assert json.loads(json.dumps(document([status(healthy())])))["schema"] == "edgeops.status/1"


def test_the_moment_of_the_start_is_told_in_utc_whatever_the_hosts_time_zone() -> None:
    local = healthy(ActiveEnterTimestamp="Mon 2026-11-30 19:00:00 CET")
    assert entry(status(local))["unit"]["since"] == "Mon 2026-11-30 19:00:00 CET"
    told = running(local, moments={"ActiveEnterTimestamp": "Mon 2026-11-30 18:00:00 UTC"})
    assert entry(status(told))["unit"]["since"] == "2026-11-30T18:00:00+00:00"


def test_a_proof_that_was_not_made_now_is_that_of_the_deploy_and_says_so() -> None:
    found = entry(status(replace(healthy(), proof=None)))["last_proof"]
    assert (found["from"], found["at"], found["ok"]) == ("deploy", "2026-11-30T18:00:00+00:00", True)


def test_after_a_proof_that_failed_the_last_good_one_is_told() -> None:
    found = entry(status(replace(healthy(), proof=Proof(("it hangs",)))))["last_proof"]
    assert (found["ok"], found["problems"], found["last_good"]) == (False, ["it hangs"], "2026-11-30T18:00:00+00:00")


@pytest.mark.parametrize(
    ("host", "state", "code"),
    [
        (status(healthy()), "ok", 0),
        (status(there(healthy(), unit="edited")), "drifted", 1),
        (status(replace(healthy(ActiveState="failed"), proof=None)), "down", 1),
        (status(there(healthy(), state={}, unit=None)), "never deployed", 1),
        (HostStatus("h", error="nothing listens there", remedy="look"), "not reached", 1),
    ],
)
def test_the_exit_code_follows_the_state(host: HostStatus, state: str, code: int) -> None:
    assert (host.state, Status((status(healthy()), host)).exit_code) == (state, code)
    assert Status((host,), interrupted=True).exit_code == 130


def test_a_host_that_was_not_reached_has_the_promised_keys_too() -> None:
    found = entry(HostStatus("h", error="nothing listens there", remedy="look"))
    assert set(PROMISED) <= set(found)
    assert (found["platform"], found["ok"], found["drift"]) == ("unknown", False, [])


def test_a_healthy_host_is_one_line_and_one_that_drifted_has_a_block_with_the_remedy() -> None:
    text = printed(status(healthy("fine")), status(there(healthy("odd"), release=None)))
    lines = text.splitlines()
    assert "ok" in lines[1]
    assert "3 h" in lines[1]
    assert "dspark with k=3" in lines[1]
    assert sum(line.startswith("fine") for line in lines) == 1
    place = lines.index("odd")
    assert lines[place + 1 :][:4] == [
        "  release",
        "    declared: tensorrt-edgellm[server]==0.11.1",
        "    actual:   an installation that was cut off",
        "    Remedy:   edgeops deploy odd",
    ]
    assert lines[-1] == "2 hosts: 1 ok, 1 drifted. Nothing was changed."


def test_whoever_is_at_work_on_the_host_is_named() -> None:
    holder = Holder("ann", "desk", 7, "deploy", "r", "2026-11-30T20:59:00+00:00", "t", 1.0)
    text = printed(status(replace(there(healthy(), kept=("a",)), holder=holder)))
    assert "locked by ann@desk (pid 7) for deploy" in text
    assert "token" not in entry(status(replace(healthy(), holder=holder)))["lock"]
    assert "cut off" not in text


def test_what_a_host_says_of_itself_cannot_command_the_terminal() -> None:
    assert "\x1b" not in printed(HostStatus("h", error="\x1b[2Jgone", remedy="\x1b]0;x"))


def test_an_age_has_one_unit() -> None:
    ages = [
        age(f"2026-11-{day}T{time}+00:00", NOW)
        for day, time in (("30", "20:59:30"), ("30", "20:30:00"), ("28", "20:00:00"))
    ]
    assert ages == ["30 s", "30 min", "2 d"]
    assert age("Mon 2026-11-30 18:00:00 CET", NOW) == "Mon 2026-11-30 18:00:00 CET"
    assert age(None, NOW) == "–"


def test_the_last_smoke_is_the_newest_measured_one_of_the_host(tmp_path: Path) -> None:
    smoke = {
        "host": "a",
        "verdict": "faster",
        "records": "x/records-a.jsonl",
        "workloads": [{"name": "chat", "speedup": {"k3": {"e2e": 1.7}}}],
    }
    _keep(tmp_path, "20261130-100000-smoke-0001", "smoke", [smoke])
    _keep(
        tmp_path,
        "20261130-110000-deploy-0002",
        "deploy",
        [{"host": "a", "outcome": "deployed", "smoke": smoke | {"verdict": "same"}}],
    )
    _keep(tmp_path, "20261130-120000-deploy-0003", "deploy", [{"host": "a", "outcome": "unchanged", "smoke": None}])
    found = last_smokes(["a", "b"], tmp_path)
    assert list(found) == ["a"]
    assert (found["a"]["run"], found["a"]["verdict"], found["a"]["speedup"]) == (
        "20261130-110000-deploy-0002",
        "same",
        {"chat k3": 1.7},
    )
    assert last_smokes(["a"], tmp_path / "none") == {}


def _keep(root: Path, run: str, kind: str, hosts: list[dict[str, Any]]) -> None:
    (root / run).mkdir()
    (root / run / f"{kind}.json").write_text(json.dumps({"hosts": hosts}))


@pytest.mark.parametrize(
    "answer", [{}, {"process": 3, "packages": []}, {"process": {"command": "x"}, "packages": {"now": 1}}]
)
def test_an_answer_of_nonsense_is_nothing_known(answer: dict[str, Any]) -> None:
    found = running_in(answer)
    assert (found.process, found.packages, found.tuning) == (None, None, None)
