"""Each kind of drift has a name, both values and the command that mends it; a healthy host has none."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from edgeops import tuning
from edgeops.deployment.survey import CheckpointFound
from edgeops.lock import Holder
from edgeops.server import Health, Proof
from edgeops.status.comparing import drifts, notes
from edgeops.status.drift import Drift, lines_apart
from edgeops.status.seen import Process, command_line
from tests.data.answers import SPARK, THOR, said, smi
from tests.unit.status.healthy import CHECKPOINTS, PYTHON, healthy, names, only, recorded, running, there

DEPLOY = "edgeops deploy spark-01"


def test_a_host_that_is_as_declared_has_no_drift_and_nothing_to_note() -> None:
    assert drifts(healthy()) == ()
    assert notes(healthy()) == ()


def test_a_host_without_anything_of_ours_was_never_deployed_to() -> None:
    seen = there(healthy(), state={}, unit=None)
    assert only(seen) == Drift("deployment", "dspark with k=3", "never deployed", DEPLOY)


def test_a_unit_edited_by_hand_is_told_with_both_lines() -> None:
    seen = healthy()
    assert seen.found.unit is not None
    edited = there(seen, unit=seen.found.unit.replace("OOMScoreAdjust=500", "OOMScoreAdjust=-900"))
    drift = only(edited)
    assert (drift.what, drift.declared, drift.actual) == ("unit", "OOMScoreAdjust=500", "OOMScoreAdjust=-900")
    assert drift.remedy.startswith(DEPLOY)


def test_an_inventory_that_moved_on_is_no_edit_of_the_unit() -> None:
    seen = healthy()
    service = seen.declared and seen.declared.service
    assert service is not None
    moved = service.unit.replace('tokens\\":3', 'tokens\\":5')
    assert moved != service.unit
    seen = replace(seen, declared=replace(seen.declared, service=replace(service, unit=moved)))
    drift = next(one for one in drifts(seen) if one.what == "settings")
    assert '"num_speculative_tokens":5' in drift.declared
    assert '"num_speculative_tokens":3' in drift.actual
    assert "max-input-len" not in drift.declared


def test_a_unit_that_is_gone_is_told() -> None:
    assert "unit" in names(there(healthy(), unit=None))


def test_a_drop_in_is_drift_until_the_service_was_verified_with_it() -> None:
    path = "/etc/systemd/system/trtedge.service.d/mine.conf"
    seen = there(healthy(), drop_ins={path: "[Service]\nNice=5\nEnvironment=TOKEN=abc\n"})
    drift = only(seen)
    assert (drift.what, drift.declared) == (f"drop-in {path}", "none")
    assert drift.actual == "[Service]; Nice=5; Environment=…"
    known = recorded(seen, drop_ins=seen.found.drop_in_digests)
    assert drifts(known) == ()
    assert notes(known) == (f"drop-in {path}, as verified",)
    assert only(there(known, drop_ins={})).actual == "gone"
    assert only(there(known, drop_ins={path: "[Service]\nNice=9\n"})).declared == "as verified, with another content"


def test_values_that_may_be_secret_are_not_shown() -> None:
    declared, actual = lines_apart("A=1\n", "A=1\nHF_TOKEN=hf_abc\nMY_PASSWORD=x\nEnvironment=FOO=bar\nB=2\n")
    assert (declared, actual) == ("nothing of it", "HF_TOKEN=…; MY_PASSWORD=…; Environment=…; B=2")
    assert "s3cret" not in str(lines_apart("ExecStart=/a --port 1", "ExecStart=/a --port 1 --api-key s3cret"))


def test_an_environment_file_edited_by_hand_is_told() -> None:
    seen = healthy()
    assert seen.found.environment is not None
    assert only(there(seen, environment=seen.found.environment + "HF_TOKEN=abc\n")).actual == "HF_TOKEN=…"
    assert only(there(seen, environment=None)).actual == "no file"


def test_another_api_key_is_told_without_its_value() -> None:
    seen = replace(there(healthy(), key_sha256="a" * 64), key_sha256="b" * 64)
    assert only(seen) == Drift("API key", "the one in api_key_file", "another one", DEPLOY)


def test_a_package_upgraded_by_hand_is_told_with_the_command_that_puts_it_back() -> None:
    drift = only(running(healthy(), packages={"fastapi": ("0.1", "0.2"), "av": ("14.0", "14.0")}))
    assert (drift.what, drift.declared, drift.actual) == ("package fastapi", "0.1", "0.2")
    assert "-m pip install --no-deps fastapi==0.1 && sudo systemctl restart trtedge" in drift.remedy
    assert only(running(healthy(), packages={"av": ("14.0", None)})).actual == "not installed"


def test_the_password_of_an_index_is_in_no_remedy() -> None:
    seen = running(healthy(), packages={"fastapi": ("0.1", "0.2")})
    assert seen.declared is not None
    release = replace(seen.declared.release, pip_arguments=("--index-url", "https://me:s3cret@example.net/simple"))
    assert "s3cret" not in only(replace(seen, declared=replace(seen.declared, release=release))).remedy


def test_packages_that_were_not_recorded_are_not_called_equal() -> None:
    seen = running(healthy(), packages=None)
    assert drifts(seen) == ()
    assert any("packages not compared" in note for note in notes(seen))


def test_a_link_to_another_release_and_an_unfinished_one_are_told() -> None:
    seen = there(healthy(), current="/opt/edgeops/releases/0.11.0-12345678")
    assert ("release", "0.11.0-12345678") in [(drift.what, drift.actual) for drift in drifts(seen)]
    assert only(there(healthy(), release=None)).actual == "an installation that was cut off"


@pytest.mark.parametrize(("number", "what"), [(0, "model"), (1, "draft model")])
def test_files_of_a_model_that_changed_are_told(number: int, what: str) -> None:
    seen = healthy()
    directory = str(CHECKPOINTS[number]["directory"])
    other = CheckpointFound("{}", "e" * 64, 200)
    drift = only(there(seen, checkpoints={**seen.found.checkpoints, directory: other}))
    assert drift.what == what
    assert drift.declared.startswith(str(CHECKPOINTS[number]["fingerprint"])[:12])
    assert drift.actual == f"eeeeeeeeeeee (200 bytes) in {directory}"


def test_a_model_directory_that_is_gone_is_told() -> None:
    seen = there(healthy(), checkpoints={})
    assert [drift.actual for drift in drifts(seen)] == ["nothing in /srv/model", "nothing in /srv/draft"]


def test_a_downloaded_model_can_be_downloaded_again() -> None:
    assert "on spark-01: sudo rm -r /var/lib/trtedge/models/a--b/c" in remedy_of_model("/var/lib/trtedge/models/a--b/c")


@pytest.mark.parametrize("directory", ["/etc", "/var/lib/trtedge/models/../../../etc", "/var/lib/trtedge/models"])
def test_a_record_that_names_a_directory_of_others_gets_nobody_to_remove_it(directory: str) -> None:
    assert "rm -r" not in remedy_of_model(directory)


def remedy_of_model(directory: str) -> str:
    seen = recorded(healthy(), checkpoints=[{**CHECKPOINTS[0], "directory": directory, "revision": "a" * 40}])
    seen = there(seen, checkpoints={directory: CheckpointFound("{}", "e" * 64, 200)})
    return next(one for one in drifts(seen) if one.what == "model").remedy


def test_a_link_to_a_release_of_that_name_elsewhere_is_told() -> None:
    release = PurePosixPath(healthy().found.current or "").name
    assert only(there(healthy(), current=f"/srv/other/{release}")).actual == f"/srv/other/{release}"


def test_a_process_with_other_flags_than_the_unit_is_restarted() -> None:
    seen = healthy()
    process = seen.running.process
    assert process is not None
    words = tuple(word.replace('tokens":3', 'tokens":7') for word in process.command)
    drift = only(running(seen, process=replace(process, command=words)))
    assert drift.what == "flags"
    assert drift.declared == '--speculative-config {"method":"dspark","model":"/srv/draft","num_speculative_tokens":3}'
    assert drift.actual == drift.declared.replace(":3}", ":7}")
    assert drift.remedy == "on spark-01: sudo systemctl daemon-reload && sudo systemctl restart trtedge"


def test_a_restart_is_no_remedy_where_the_unit_itself_was_edited() -> None:
    seen = healthy()
    assert seen.found.unit is not None
    edited = there(seen, unit=seen.found.unit.replace("--port 8000", "--port 9000"))
    assert {drift.what: drift.remedy.split("   ")[0] for drift in drifts(edited)} == {"unit": DEPLOY, "flags": DEPLOY}


def test_a_command_line_of_a_drop_in_counts() -> None:
    seen = healthy()
    path = "/etc/systemd/system/trtedge.service.d/mine.conf"
    seen = there(seen, drop_ins={path: "[Service]\nExecStart=\nExecStart=/opt/other --port 1\n"})
    assert names(seen) == [f"drop-in {path}", "flags"]


def test_a_process_of_another_release_than_the_link_is_told() -> None:
    process = Process(4711, healthy().running.process.command, "0.11.0-12345678")  # type: ignore[union-attr]
    drift = only(running(healthy(), process=process))
    assert (drift.what, drift.actual) == ("running release", "0.11.0-12345678")


def test_words_of_a_unit_are_read_as_systemd_reads_them() -> None:
    unit = '[Service]\nExecStart=/bin/a "{\\"k\\":3}" 100%% a$$b \\\n  "two words"\n'
    assert command_line(unit) == ("/bin/a", '{"k":3}', "100%", "a$b", "two words")
    assert command_line("[Service]\n") is None
    assert command_line('ExecStart=/bin/a "') is None


@pytest.mark.parametrize(
    ("unit", "what", "actual"),
    [
        ({"ActiveState": "inactive", "SubState": "dead"}, "service", "inactive (dead)"),
        (
            {"ActiveState": "failed", "SubState": "failed", "Result": "exit-code"},
            "service",
            "failed (failed, exit-code)",
        ),
        ({"UnitFileState": "disabled"}, "start at boot", "disabled"),
        ({"NeedDaemonReload": "yes"}, "daemon-reload", "an earlier one is loaded"),
    ],
)
def test_a_service_that_is_not_as_it_should_be_is_told(unit: dict[str, str], what: str, actual: str) -> None:
    seen = replace(healthy(**unit), proof=None)
    drift = next(one for one in drifts(seen) if one.what == what)
    assert drift.actual == actual


def test_a_server_that_does_not_answer_or_talks_nonsense_is_told() -> None:
    seen = healthy()
    silent = replace(seen, health=Health(False, reason="ConnectionRefusedError"), proof=None)
    assert (only(silent).what, only(silent).actual) == ("health", "ConnectionRefusedError")
    wrong = replace(seen, proof=Proof((), "bananas", "stop", 3, False))
    assert (only(wrong).what, "bananas" in only(wrong).actual) == ("generation", True)
    hung = replace(seen, proof=Proof(("the generation broke off: not finished after 120 s",)))
    assert only(hung).actual == "the generation broke off: not finished after 120 s"


def test_without_a_proof_the_server_still_has_to_say_what_was_verified() -> None:
    seen = replace(healthy(), proof=None, health=Health(True, "none", "other"))
    assert names(seen) == ["method", "served model"]


def test_a_host_that_somebody_works_on_is_not_asked_and_not_judged_by_what_it_says_meanwhile() -> None:
    holder = Holder("ann", "desk", 7, "deploy", "r", "2026-11-30T20:59:00+00:00", "t", 1.0)
    assert drifts(replace(healthy(), proof=None, health=Health(True, "none", "other"), holder=holder)) == ()


def test_a_measurement_that_tries_other_settings_is_noted_and_is_no_drift() -> None:
    seen = healthy()
    other = Process(1, (PYTHON, "x"), None)
    seen = running(replace(seen, proof=None, health=Health(True, "none", "model")), process=other, trial="op@desk")
    assert drifts(seen) == ()
    assert notes(seen)[0].startswith("op@desk tries other settings")


def test_another_driver_kernel_and_tensorrt_than_those_verified_are_told() -> None:
    answers = SPARK | {
        "driver_module": said("580.200.01"),
        "nvidia_smi": smi("NVIDIA GB10", "580.200.01", "12.1"),
        "uname": said("Linux 7.1.0-1-nvidia aarch64"),
        "tensorrt_python": said("10.16.9.9"),
    }
    before, now = healthy(), healthy(answers=answers)
    seen = replace(now, found=before.found, declared=before.declared, running=before.running, verdicts=())
    assert names(seen) == ["TensorRT", "driver", "kernel"]
    assert {drift.what: drift.actual for drift in drifts(seen)} == {
        "TensorRT": "10.16.9.9",
        "driver": "580.200.01",
        "kernel": "7.1.0-1-nvidia",
    }


def test_another_power_mode_is_told_with_the_way_back() -> None:
    before = healthy("thor-01", THOR | {"nvpmodel": said("NV Power Mode: MAXN", "0")})
    now = healthy("thor-01", THOR | {"nvpmodel": said("NV Power Mode: 120W", "1")})
    seen = replace(now, found=before.found, declared=before.declared, running=before.running, verdicts=())
    assert only(seen) == Drift("power mode", "MAXN", "120W", "on thor-01: sudo nvpmodel -m 0")


def test_a_requirement_that_fails_now_is_told_with_its_own_remedy() -> None:
    seen = healthy(answers={probe: answer for probe, answer in SPARK.items() if probe != "groups"} | {"groups": said()})
    drift = only(seen)
    assert drift.what == "requirement host.groups"
    assert "TARGET" not in drift.remedy
    assert "spark-01" in drift.remedy


def test_a_tuning_that_was_measured_on_something_else_is_told() -> None:
    seen = healthy()
    assert seen.declared is not None
    rests_on = tuning.fingerprint(seen.facts, seen.declared)
    fresh = running(seen, tuning=tuning.record({"method": "dspark", "k": 3}, rests_on))
    assert drifts(fresh) == ()
    stale = running(seen, tuning=tuning.record({"method": "dspark", "k": 3}, {**rests_on, "driver": "570.1"}))
    assert only(stale).what == "tuning: GPU driver"


def test_a_switch_that_was_cut_off_is_told() -> None:
    assert only(there(healthy(), kept=("trtedge.service",))).what == "switch"


def test_a_record_of_another_deployment_is_told_where_nothing_else_is() -> None:
    assert only(recorded(healthy(), identity="0" * 64)).what == "record"


@pytest.mark.parametrize(
    "state",
    [
        {"checkpoints": "x", "machine": [], "drop_ins": 3, "serving": 7, "tensorrt": {}, "identity": []},
        {"checkpoints": [{}, 1, {"directory": None}], "machine": {"driver": []}, "drop_ins": {"a": 1}},
        {},
    ],
)
def test_a_record_of_nonsense_is_a_drift_and_never_an_exception(state: dict[str, object]) -> None:
    seen = there(healthy(), state=json.loads(json.dumps(state)))
    assert drifts(seen)
    assert isinstance(notes(seen), tuple)
