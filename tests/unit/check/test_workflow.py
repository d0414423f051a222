"""The check as a workflow: outcome, document, saved snapshots, and faults told once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edgeops import check as workflow
from edgeops import engine
from edgeops.check import Check, HostCheck, check_hosts, check_snapshots, document, read_snapshots, report_faults, save
from edgeops.engine import Access, HostResult
from edgeops.errors import ConfigurationError
from edgeops.inventory import Host
from edgeops.requirements import Verdict
from edgeops.settings import Settings
from edgeops.snapshot import Answer, Snapshot
from tests.data.answers import SPARK, said

GOOD = Snapshot("spark-01", "2026-11-30T09:12:44+00:00", False, SPARK)
BROKEN = Snapshot("spark-02", "2026-11-30T09:12:44+00:00", True, SPARK | {"find_cudart": said("None")})


def checked(*snapshots: Snapshot) -> Check:
    return check_snapshots(snapshots, lambda _: Settings())


@pytest.mark.parametrize(
    ("check", "code"),
    [
        (checked(GOOD), 0),
        (checked(GOOD, BROKEN), 3),
        (Check((HostCheck("a", error="not reached: timed out"), *checked(BROKEN).hosts)), 1),
        (Check(checked(GOOD).hosts, interrupted=True), 130),
    ],
)
def test_the_exit_code_says_how_it_ended(check: Check, code: int) -> None:
    assert check.exit_code == code


def test_the_document_has_its_promised_fields() -> None:
    (host,) = document(checked(BROKEN))["hosts"]
    assert (host["host"], host["platform"], host["simulated"], host["ok"]) == ("spark-02", "dgx-spark", True, False)
    assert set(host) == {"host", "platform", "simulated", "ok", "results"}
    assert set(host["results"][0]) == {"id", "status", "found", "wanted", "why", "remedy"}
    assert document(checked(BROKEN))["schema"] == "edgeops.check/1"


def fault(found: str = "none") -> Verdict:
    return Verdict("cuda.runtime", "fail", found, "libcudart.so.13", "The wheel loads it.", "sudo ldconfig")


def test_a_fault_is_one_line_of_cause_and_one_of_remedy() -> None:
    passed = Verdict("host.os", "pass", "Ubuntu", "Ubuntu", "Reason.")
    assert report_faults({"spark-01": (passed, fault())}) == [
        "spark-01: cuda.runtime: none; wanted: libcudart.so.13. The wheel loads it.",
        "  Remedy: sudo ldconfig",
    ]


def test_the_same_fault_of_many_hosts_is_told_once_and_the_commonest_first() -> None:
    hosts = {"lone": (fault("libcudart.so.12"),)} | {f"spark-{n}": (fault(),) for n in range(7)}
    lines = report_faults(hosts)
    assert lines[0].startswith("7 hosts (spark-0, spark-1, spark-2, …): cuda.runtime: none;")
    assert lines[2].startswith("lone: cuda.runtime: libcudart.so.12;")
    assert len(lines) == 4


def host(name: str, **settings: object) -> Host:
    return Host(name, "127.0.0.1", 22, "nvidia", settings=Settings.model_validate(settings))


def test_each_host_is_judged_by_its_own_settings_and_an_unreached_one_keeps_its_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hosts = (host("a"), host("b", k=9), host("c"))
    results = {
        "a": HostResult(hosts[0], "ok", value=Snapshot("a", "", False, SPARK)),
        "b": HostResult(hosts[1], "ok", value=Snapshot("b", "", False, SPARK)),
        "c": HostResult(hosts[2], "unreachable", "connection refused", "start sshd"),
    }
    monkeypatch.setattr(engine, "run", lambda *_, **__: results)
    done = check_hosts(hosts, Access(), 5)
    assert [one.ok for one in done.hosts] == [True, False, False]
    assert (done.hosts[2].error, done.hosts[2].remedy) == ("not reached: connection refused", "start sshd")
    assert [snapshot.host for snapshot in done.snapshots] == ["a", "b"]


def test_a_host_that_cannot_be_reached_has_a_remedy_to_paste(monkeypatch: pytest.MonkeyPatch) -> None:
    lone = Host("a", "10.0.0.7", 2222, "nvidia")
    monkeypatch.setattr(engine, "run", lambda *_, **__: {"a": HostResult(lone, "unreachable", "timed out")})
    (checked_host,) = check_hosts((lone,), Access(), 1).hosts
    assert checked_host.remedy == "try by hand: ssh -p 2222 nvidia@10.0.0.7 true"


def test_an_accepted_id_that_does_not_exist_is_refused_before_any_host_is_asked() -> None:
    with pytest.raises(ConfigurationError, match=r"tensorrt\.vesion") as error:
        check_hosts((host("a", accept=["tensorrt.vesion"]),), Access(), 1)
    assert error.value.remedy == "did you mean tensorrt.version?"


def test_an_interrupt_keeps_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = (host("a"), host("b"))

    def stopped(*_: object, **__: object) -> dict[str, HostResult[Snapshot]]:
        raise engine.Interrupted(
            {"a": HostResult(hosts[0], "ok", value=Snapshot("a", "", False, SPARK)), "b": HostResult(hosts[1])}
        )

    monkeypatch.setattr(engine, "run", stopped)
    done = check_hosts(hosts, Access(), 5)
    assert done.exit_code == 130
    assert [one.ok for one in done.hosts] == [True, False]


def test_a_saved_snapshot_is_judged_the_same_and_holds_no_serial_number(tmp_path: Path) -> None:
    first = checked(GOOD, BROKEN)
    files = save(first, tmp_path / "kept", ["nvidia"])
    assert [file.name for file in files] == ["spark-01.json", "spark-02.json"]
    assert "0000000000000" not in files[0].read_text(encoding="utf-8")
    assert document(checked(*read_snapshots([tmp_path / "kept"]))) == document(first)


@pytest.mark.parametrize("name", ["../../etc/passwd", "nvidia@192.168.1.20:22", ".hidden", "a/b"])
def test_a_hosts_name_cannot_lead_out_of_the_directory(tmp_path: Path, name: str) -> None:
    (file,) = save(checked(Snapshot(name, "", False, SPARK)), tmp_path, [])
    assert file.resolve().parent == tmp_path.resolve()
    assert read_snapshots([file])[0].host == name


def test_a_directory_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        save(checked(GOOD), tmp_path / "file", [])


def test_an_empty_directory_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="holds no snapshot"):
        read_snapshots([tmp_path])


def test_a_document_is_json() -> None:
    assert json.loads(json.dumps(workflow.document(checked(GOOD, BROKEN))))["hosts"][0]["ok"] is True


def test_a_probe_that_is_missing_is_rc_127() -> None:
    assert GOOD.answer("no_such_probe") == Answer(127)
