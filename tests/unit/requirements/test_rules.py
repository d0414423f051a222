"""Single rules at their edges, and the promises that hold for all of them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeops.requirements import IDS, REQUIREMENTS, Verdict, judge, platform_of
from edgeops.settings import Settings
from edgeops.snapshot import Answer, Snapshot
from edgeops.snapshot.facts import facts_of
from tests.data.answers import ORIN, PORTS, SPARK, THOR, Answers, debs, df, l4t, meminfo, said, smi
from tests.unit.snapshot.test_parsers import NOISE

PROMISED = {
    "host": "sudo platform os arch glibc python clock memory disk port groups updates power gpu_users",
    "gpu": "driver capability payload",
    "cuda": "runtime toolkit",
    "tensorrt": "python version consistent held",
    "model": "precision memory",
    "settings": "speculation",
}


def verdicts(answers: Answers, **settings: Any) -> dict[str, Verdict]:
    return {v.id: v for v in judge(Snapshot("h", "", False, answers), Settings(**settings))}


def status(requirement: str, answers: Answers, **settings: Any) -> str:
    return verdicts(answers, **settings)[requirement].status


def test_every_promised_requirement_is_there_once() -> None:
    assert sorted(IDS) == sorted(f"{group}.{name}" for group, names in PROMISED.items() for name in names.split())


PROBES = st.dictionaries(
    st.sampled_from(sorted(SPARK)), st.builds(Answer, st.sampled_from([0, 1, 2, 18, 124, 127]), NOISE, NOISE)
)


@given(PROBES, st.sampled_from([SPARK, THOR, ORIN, {}]))
def test_no_answer_makes_the_judge_raise_and_each_verdict_is_one_line(probes: Answers, base: Answers) -> None:
    for verdict in judge(Snapshot("h", "", False, base | probes), Settings()):
        assert verdict.status in ("pass", "warn", "fail", "skip")
        assert "\n" not in verdict.found


@pytest.mark.parametrize("probe", sorted(SPARK))
def test_a_truncated_answer_is_skip_never_pass(probe: str) -> None:
    cut = verdicts(SPARK | {probe: Answer(124)})
    gone = verdicts({name: answer for name, answer in SPARK.items() if name != probe})
    whole = verdicts(SPARK)
    judged_by = {
        "sudo": "host.sudo",
        "uname": "host.arch",
        "os_release": "host.os",
        "glibc": "host.glibc",
        "python": "host.python",
        "clock": "host.clock",
        "meminfo": "host.memory",
        "df": "host.disk",
        "ports": "host.port",
        "groups": "host.groups",
        "apt_state": "host.updates",
        "gpu_users": "host.gpu_users",
        "nvidia_smi": "gpu.driver",
        "find_cudart": "cuda.runtime",
        "tensorrt_python": "tensorrt.python",
        "dpkg_tensorrt": "tensorrt.consistent",
        "apt_hold": "tensorrt.held",
    }
    requirement = judged_by.get(probe)
    if requirement is None:
        assert {v.id for v in cut.values() if v.status == "fail"} <= {"gpu.payload", "host.memory"}
        return
    assert whole[requirement].status == "pass"
    assert (cut[requirement].status, gone[requirement].status) == ("skip", "skip")
    assert probe in cut[requirement].found


def test_a_host_of_which_nothing_can_be_read_fails() -> None:
    assert status("host.platform", {}) == "fail"


def test_a_newcomer_is_told_why_and_every_reason_differs() -> None:
    assert len({requirement.why for requirement in REQUIREMENTS}) == len(REQUIREMENTS)


def test_an_accepted_failure_is_a_warning_that_says_so() -> None:
    broken = SPARK | {"find_cudart": said("None")}
    verdict = verdicts(broken, accept=("cuda.runtime",))["cuda.runtime"]
    assert verdict.status == "warn"
    assert "accept" in verdict.why
    assert status("cuda.runtime", broken, accept=("host.disk",)) == "fail"


def test_what_is_accepted_and_passes_stays_a_pass() -> None:
    assert status("cuda.runtime", SPARK, accept=("cuda.runtime",)) == "pass"


OWN = said(
    json.dumps(
        {"state": None, "unit": {"LoadState": "loaded", "ActiveState": "active", "MainPID": "42"}, "current": "/x"}
    )
)
STOPPED = said(json.dumps({"state": None, "unit": {"ActiveState": "inactive", "MainPID": "0"}, "current": "/x"}))


def listening(address: str, users: str = "") -> Answer:
    return said(*PORTS, f"LISTEN 0 2048 {address}:8000 0.0.0.0:* {users}")


@pytest.mark.parametrize(
    ("address", "bind", "expected"),
    [
        ("127.0.0.1", "127.0.0.1", "fail"),
        ("0.0.0.0", "127.0.0.1", "fail"),
        ("*", "127.0.0.1", "fail"),
        ("[::]", "127.0.0.1", "fail"),
        ("127.0.77.2", "127.0.77.1", "pass"),
        ("[::1]", "127.0.0.1", "pass"),
        ("127.0.0.1", "localhost", "fail"),
        ("127.0.0.1", "0.0.0.0", "fail"),
        ("[::1]", "::1", "fail"),
        ("192.168.1.5", "::", "fail"),
    ],
)
def test_a_port_is_busy_only_where_address_and_port_overlap(address: str, bind: str, expected: str) -> None:
    assert status("host.port", SPARK | {"ports": listening(address)}, bind=bind) == expected


def test_another_port_is_no_obstacle() -> None:
    assert status("host.port", SPARK | {"ports": listening("127.0.0.1")}, port=8001) == "pass"


@pytest.mark.parametrize(
    ("own", "users", "expected"),
    [
        (OWN, 'users:(("trtedge",pid=42,fd=3))', "pass"),
        (OWN, "", "pass"),
        (OWN, 'users:(("python3",pid=43,fd=3))', "fail"),
        (STOPPED, 'users:(("trtedge",pid=42,fd=3))', "fail"),
        (STOPPED, "", "fail"),
    ],
)
def test_the_port_of_our_own_running_service_is_free(own: Answer, users: str, expected: str) -> None:
    answers = SPARK | {"edgeops": own, "ports": listening("127.0.0.1", users)}
    assert status("host.port", answers) == expected


@pytest.mark.parametrize(("port", "expected"), [(8000, "pass"), (9000, "fail")])
def test_a_process_that_may_not_be_seen_is_ours_only_where_we_were_deployed_to(port: int, expected: str) -> None:
    state = {"serving": {"address": "127.0.0.1", "port": port}}
    own = json.loads(OWN.out) | {"state": state}
    answers = SPARK | {"edgeops": said(json.dumps(own)), "ports": listening("127.0.0.1")}
    assert status("host.port", answers) == expected


def test_the_memory_of_our_own_running_service_is_available() -> None:
    low = SPARK | {"meminfo": meminfo(127_532_112, 12_000_000)}
    assert status("model.memory", low) == "fail"
    assert status("model.memory", low | {"edgeops": OWN, "gpu_users": said("42, python3, 30720 MiB")}) == "pass"
    assert status("model.memory", low | {"edgeops": OWN, "gpu_users": said("42, python3, 1024 MiB")}) == "fail"
    assert status("model.memory", low | {"edgeops": OWN, "gpu_users": Answer(0)}) == "pass"
    assert status("model.memory", low | {"edgeops": STOPPED, "gpu_users": said("42, python3, 30720 MiB")}) == "fail"


def test_no_more_memory_is_available_than_there_is() -> None:
    answers = SPARK | {"edgeops": OWN, "gpu_users": said("42, python3, 30720 MiB")}
    assert verdicts(answers)["model.memory"].found == "122 GiB available with what our own service holds"


def test_disk_is_asked_for_what_is_still_missing() -> None:
    disk = SPARK | {"df": df("/dev/sda1", 10**12, 45 * 10**9)}
    staged = {"nvidia--NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4": 21_600_000_000}
    own = {"state": None, "unit": None, "current": "/opt/edgeops/releases/a", "models": staged}
    assert status("host.disk", disk) == "fail"
    assert status("host.disk", disk | {"edgeops": said(json.dumps(own))}) == "pass"
    assert status("host.disk", disk, model="/models/x", draft_model="/models/y") == "pass"
    assert "model 21.6" in verdicts(disk)["host.disk"].wanted


def test_a_local_copy_of_a_known_model_still_needs_room_for_its_engines() -> None:
    local = "/models/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4"
    wanted = verdicts(SPARK, model=local)["host.disk"].wanted
    assert wanted == "37.0 GB on / (release 3.0, download 1.0, engine cache 33.0)"


def test_disk_is_added_up_for_each_file_system() -> None:
    head = "Filesystem 1-blocks Used Available Capacity Mounted on"
    rows = (f"/dev/a {10**11} 0 {20 * 10**9} 1% /", f"/dev/b {10**12} 0 {500 * 10**9} 1% /var")
    split = SPARK | {"df": said(head, rows[0], rows[0], rows[1], "tmpfs 9000 0 9000 1% /tmp")}
    verdict = verdicts(split)["host.disk"]
    assert verdict.status == "fail"
    assert verdict.found == "0.0 GB free on /tmp"
    assert verdict.wanted == "1.0 GB on /tmp (download 1.0)"


@pytest.mark.parametrize(
    ("wanted", "found", "expected"),
    [
        (None, "10.16.1.11", "pass"),
        (None, "10.16.1.12", "fail"),
        (None, "11.0.0.114", "fail"),
        ("10.*", "10.13.3.9", "pass"),
        ("10.*", "11.0.0.114", "fail"),
        ("10.13.3.9", "10.13.3.9", "pass"),
        (">=10.13,<11", "10.16.2.10", "pass"),
        ("ten", "10.16.1.11", "fail"),
    ],
)
def test_a_spark_wants_its_tensorrt_or_what_the_setting_says(wanted: str | None, found: str, expected: str) -> None:
    assert status("tensorrt.version", SPARK | {"tensorrt_python": said(found)}, tensorrt_version=wanted) == expected


@pytest.mark.parametrize(
    ("release", "found", "expected"),
    [
        ((39, "2.0"), "10.16.2.10", "pass"),
        ((38, "2.2"), "10.13.3.9", "pass"),
        ((38, "2.2"), "10.16.2.10", "warn"),
        ((39, "9.0"), "10.20.0.1", "warn"),
        ((39, "9.0"), "11.0.0.114", "fail"),
        ((39, "2.0"), "11.0.0.114", "fail"),
    ],
)
def test_a_jetson_wants_what_its_jetpack_ships(release: tuple[int, str], found: str, expected: str) -> None:
    answers = THOR | {"nv_tegra_release": l4t(*release, "x"), "tensorrt_python": said(found)}
    assert status("tensorrt.version", answers) == expected


def test_a_missing_library_of_tensorrt_is_told_in_its_own_words() -> None:
    said_so = "ImportError: libnvonnxparser.so.10: cannot open shared object file: No such file or directory"
    verdict = verdicts(SPARK | {"tensorrt_python": Answer(1, "", f"{said_so}\n")})["tensorrt.python"]
    assert (verdict.status, verdict.found) == ("fail", said_so)


def test_the_exception_may_stand_on_either_stream() -> None:
    answers = SPARK | {"tensorrt_python": Answer(1, "ModuleNotFoundError: No module named 'tensorrt'\n")}
    assert status("tensorrt.python", answers) == "fail"


def test_the_remedy_pins_every_package_at_the_version_that_was_asked_for() -> None:
    answers = SPARK | {"tensorrt_python": said("11.0.0.114")}
    remedy = verdicts(answers)["tensorrt.version"].remedy
    assert remedy.count("=10.16.1.11-1+cuda13.2") == 10
    assert remedy.startswith("edgeops prepare TARGET ")
    assert "sudo apt-get install -y --allow-downgrades libnvinfer10=" in remedy


BESIDE = "".join(
    f"{name}\thold ok installed\t{version}\n"
    for name, version in (
        ("libnvinfer10", "10.16.1.11-1+cuda13.2"),
        ("python3-libnvinfer", "10.16.1.11-1+cuda13.2"),
        ("libnvinfer11", "11.2.1.2-1+cuda13.2"),
    )
)


def test_another_major_beside_is_a_warning_and_need_not_be_held() -> None:
    beside = SPARK | {"dpkg_tensorrt": Answer(0, BESIDE.replace("hold ok installed\t11", "install ok installed\t11"))}
    verdict = verdicts(beside)["tensorrt.consistent"]
    assert (verdict.status, verdict.found.split(",")[0]) == ("warn", "10.16.1.11-1+cuda13.2")
    assert verdict.remedy.endswith("apt-get remove libnvinfer11")
    assert status("tensorrt.held", beside) == "pass"


def test_a_package_that_all_majors_share_must_not_be_of_another() -> None:
    mixed = SPARK | {"dpkg_tensorrt": Answer(0, BESIDE + "libnvinfer-dev\tinstall ok installed\t11.2.1.2-1+cuda13.2\n")}
    assert status("tensorrt.consistent", mixed) == "fail"


def test_a_loader_extract_proves_nothing_about_what_is_missing() -> None:
    extract = said("\tlibcudart.so.13 (libc6,AArch64) => /usr/local/cuda/lib/libcudart.so.13")
    whole = said("1 libs found in cache `/etc/ld.so.cache'", extract.out.rstrip("\n"))
    assert status("cuda.runtime", SPARK | {"ldconfig": extract}) == "pass"
    assert status("cuda.runtime", SPARK | {"ldconfig": whole}) == "warn"


@pytest.mark.parametrize(
    ("err", "words"),
    [
        ("sudo: a password is required", "--ask-sudo"),
        ("sudo: 1 incorrect password attempt", "right password"),
        ("erika is not in the sudoers file.", "usermod"),
    ],
)
def test_each_refusal_of_sudo_has_its_remedy(err: str, words: str) -> None:
    verdict = verdicts(SPARK | {"sudo": Answer(1, "", err)})["host.sudo"]
    assert verdict.status == "fail"
    assert words in verdict.remedy


def test_the_platform_never_comes_from_a_name_and_hardware_outweighs_a_file() -> None:
    names = Snapshot("spark-01", "", False, {"os_release": SPARK["os_release"]})
    assert platform_of(facts_of(names)) == "unknown"
    stray = Snapshot("h", "", False, THOR | {"dgx_release": SPARK["dgx_release"]})
    assert platform_of(facts_of(stray)) == "jetson-thor"


def test_contradicting_hardware_is_unknown() -> None:
    both = {"product_name": SPARK["product_name"], "device_tree_model": THOR["device_tree_model"]}
    verdict = verdicts(both)["host.platform"]
    assert verdict.status == "fail"
    assert "contradict" in verdict.found


@pytest.mark.parametrize("model", ["NVIDIA IGX Thor Developer Kit", "NVIDIA DRIVE AGX Thor"])
def test_another_machine_with_the_same_gpu_is_unknown(model: str) -> None:
    assert status("host.platform", THOR | {"device_tree_model": Answer(0, f"{model}\0")}) == "fail"


def test_a_release_file_alone_is_a_guess() -> None:
    verdict = verdicts({"dgx_release": SPARK["dgx_release"]})["host.platform"]
    assert (verdict.status, "a guess" in verdict.found) == ("warn", True)


def test_an_orin_takes_one_l4t_only() -> None:
    answers = ORIN | {"nv_tegra_release": l4t(38, "2.0", "x")}
    assert status("host.platform", answers, model="a/b-INT4") == "fail"


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({"driver_module": said("580.159.03")}, "fail"),
        ({"driver_module": Answer(1)}, "pass"),
        ({"nvidia_smi": Answer(6, "No devices were found\n")}, "fail"),
        ({"nvidia_smi": Answer(127)}, "fail"),
        ({"nvidia_smi": Answer(9, "NVIDIA-SMI has failed because it couldn't communicate with the driver.\n")}, "fail"),
        ({"nvidia_smi": Answer(2, "", 'Field "compute_cap" is not a valid field to query.\n')}, "skip"),
    ],
)
def test_module_and_library_of_the_driver_have_to_be_alike(answers: Answers, expected: str) -> None:
    assert status("gpu.driver", SPARK | answers) == expected


def test_the_payload_follows_l4t() -> None:
    assert verdicts(THOR)["gpu.payload"].found == "jetson-thor-jp72-cu13-sm110"
    assert verdicts(ORIN)["gpu.payload"].found == "jetson-orin-jp72-cu13-sm87"
    assert verdicts(SPARK)["gpu.payload"].found == "dgx-spark-cu13-sm121"


def test_a_gpu_of_another_architecture_is_named() -> None:
    verdict = verdicts(SPARK | {"nvidia_smi": smi("NVIDIA GB10", "580.178.04", "9.0")})["gpu.payload"]
    assert verdict.status == "fail"
    assert "12.1" in verdict.found


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, "pass"),
        ({"k": 8}, "pass"),
        ({"k": 9}, "fail"),
        ({"method": "off"}, "pass"),
        ({"method": "mtp"}, "pass"),
        ({"method": "dflash", "k": 1}, "fail"),
        ({"method": "dflash", "k": 3}, "skip"),
        ({"extra_serve_args": ("--enable-in-flight-batching",)}, "fail"),
        ({"extra_serve_args": ("--enable-in-flight-batching",), "edgellm_version": "0.12.0"}, "pass"),
        ({"extra_serve_args": ("--enable-context-reuse",)}, "fail"),
        ({"extra_serve_args": ("--log-level", "debug")}, "pass"),
    ],
)
def test_speculation_is_checked_before_the_engine_is_built(settings: dict[str, Any], expected: str) -> None:
    assert status("settings.speculation", SPARK, **settings) == expected


def test_mixed_packages_are_named_with_their_versions() -> None:
    mixed = replace(
        debs("10.16.1.11-1+cuda13.2"),
        out=debs("10.16.1.11-1+cuda13.2").out + "libnvinfer-dev\tinstall ok installed\t11.2.1.2-1\n",
    )
    found = verdicts(SPARK | {"dpkg_tensorrt": mixed})["tensorrt.consistent"].found
    assert "libnvinfer-dev 11.2.1.2-1" in found


def test_a_module_in_the_way_of_the_packages_is_found() -> None:
    shadowed = SPARK | {"tensorrt_python": said("10.13.3.9")}
    assert status("tensorrt.consistent", shadowed, tensorrt_version="10.*") == "fail"
