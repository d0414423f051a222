"""Each parser on outputs that real machines gave, and on anything at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeops.snapshot import Answer, Snapshot
from edgeops.snapshot.facts import Facts, facts_of
from edgeops.snapshot.parsing import hardware, libraries, occupancy, releases
from edgeops.snapshot.probes import IDS

PARSERS: tuple[Callable[[str], Any], ...] = (
    releases.os_release,
    releases.dgx_release,
    releases.l4t_release,
    releases.model,
    hardware.kernel,
    hardware.glibc,
    hardware.driver_module,
    hardware.gpus,
    hardware.nvidia_pci_ids,
    hardware.memory,
    hardware.power,
    hardware.torn_score,
    libraries.python,
    libraries.cudart,
    libraries.loader_cache,
    libraries.cuda_version_json,
    libraries.nvcc,
    libraries.tensorrt_version,
    libraries.packages,
    libraries.held,
    libraries.last_line,
    occupancy.disks,
    occupancy.clock,
    occupancy.listeners,
    occupancy.groups,
    occupancy.apt_state,
    occupancy.gpu_users,
    occupancy.own_state,
)

PIECES = (
    *("DGX_OTA_VERSION=", '"7.6.0"', "R39 (release), REVISION: ", "name, driver_version, compute_cap\n", "[N/A]"),
    *(
        "LISTEN 0 1 [::]:8000 *:* ",
        'users:(("x",pid=',
        "MemTotal: ",
        " kB\n",
        '{"cuda": {"version": ',
        "{" * 50,
        "\x00",
        "\r\n",
    ),
    *(
        "NV Power Mode: ",
        "audit:\n",
        "dpkg_lock=",
        "torn",
        "999999999999999999999999",
        "٣",
        "²",
        "\ufeff",
        " => ",
        "\t",
        "%",
        "'",
    ),
)
NOISE = st.one_of(
    st.text(), st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=12).map("".join)
)


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.__name__)
def test_no_text_makes_a_parser_raise(parser: Callable[[str], Any]) -> None:
    @given(NOISE)
    def never_raises(text: str) -> None:
        parser(text)

    never_raises()


@given(
    st.dictionaries(
        st.sampled_from(sorted(IDS)), st.builds(Answer, st.sampled_from([0, 1, 2, 18, 124, 127]), NOISE, NOISE)
    )
)
def test_no_snapshot_makes_the_facts_raise(probes: dict[str, Answer]) -> None:
    assert isinstance(facts_of(Snapshot("h", "", False, probes)), Facts)


def test_an_update_appends_its_version_and_the_last_one_counts() -> None:
    first = 'DGX_NAME="DGX Spark"\nDGX_SWBUILD_VERSION="7.2.3"\n\nDGX_OTA_VERSION="7.3.1"\n'
    text = f'{first}DGX_OTA_DATE="Thu"\n\nDGX_OTA_VERSION="7.6.0"\nDGX_OTA_DATE="mer. 16 sept. 2026"\n'
    found = releases.dgx_release(text)
    assert found is not None
    assert found.version == "7.6.0"


def test_values_without_quotes_and_without_an_update_are_read() -> None:
    found = releases.dgx_release("DGX_PLATFORM=HP ZGX Nano G1n AI Station\r\nDGX_SWBUILD_VERSION=7.5.0\r\n")
    assert found == releases.DgxRelease(None, "HP ZGX Nano G1n AI Station", "7.5.0")


@pytest.mark.parametrize(
    ("line", "release", "full"),
    [
        ("# R39 (release), REVISION: 2.1, GCID: 46758480, BOARD: generic", "R39.2", "R39.2.1"),
        ("# R38 (release), REVISION: 2.0, GCID: 41844464", "R38.2", "R38.2.0"),
        ("# R36 (release), REVISION: 4.3, GCID: 38968081\r\n# KERNEL_VARIANT: oot", "R36.4", "R36.4.3"),
        ("R39.2", "R39.2", "R39.2"),
    ],
)
def test_l4t_keeps_its_third_number_apart(line: str, release: str, full: str) -> None:
    found = releases.l4t_release(line)
    assert found is not None
    assert (found.release, found.full) == (release, full)


def test_a_model_ends_at_its_nul_byte() -> None:
    assert releases.model("NVIDIA Jetson AGX Thor Developer Kit\x00") == "NVIDIA Jetson AGX Thor Developer Kit"


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("580.142\n", "580.142"),
        (
            "NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  580.159.03  Release\nGCC version:  13.3.0\n",
            "580.159.03",
        ),
        ("GCC version:  gcc version 13.3.0\n", None),
    ],
)
def test_the_driver_is_read_from_either_file(text: str, version: str | None) -> None:
    assert hardware.driver_module(text) == version


def test_the_gpu_is_found_behind_a_warning_and_n_a_is_unknown() -> None:
    text = (
        "WARNING: infoROM is corrupted\r\nname, driver_version, memory.total [MiB], compute_cap\r\n"
        "NVIDIA GB10, 580.142, [N/A], 12.1\r\n"
    )
    assert hardware.gpus(text) == (hardware.Gpu("NVIDIA GB10", "580.142", None, "12.1"),)


def test_no_header_means_that_nothing_is_known_of_gpus() -> None:
    assert hardware.gpus("No devices were found\n") is None


@pytest.mark.parametrize(
    ("line", "address", "port", "pid"),
    [
        ('LISTEN 0 128 0.0.0.0:22 0.0.0.0:* users:(("sshd",pid=39,fd=3))', "*", 22, 39),
        ("LISTEN 0 128 [::]:8000 [::]:*", "*", 8000, None),
        ("LISTEN 0 128 *:8000 *:*", "*", 8000, None),
        ("LISTEN 0 4096 127.0.0.53%lo:53 0.0.0.0:*", "127.0.0.53", 53, None),
        ("LISTEN 0 4096 [::ffff:127.0.0.1]:8000 *:*", "127.0.0.1", 8000, None),
        ("LISTEN 0 4096 [fe80::1%enP7s7]:8000 [::]:*", "fe80::1", 8000, None),
    ],
)
def test_a_listener_is_read_in_every_form_of_address(line: str, address: str, port: int, pid: int | None) -> None:
    (found,) = occupancy.listeners(line)
    assert (found.address, found.port, found.pid) == (address, port, pid)


def test_a_mode_is_read_from_verbose_output() -> None:
    text = "NVPM VERB: parsing done\nNVPM VERB: Current mode: NV Power Mode: 25W\n1\nNVPM VERB: PARAM CPU_ONLINE\n"
    assert hardware.power(text) == hardware.Power("25W", 1)


def test_a_gpu_process_may_have_commas_in_its_name() -> None:
    assert occupancy.gpu_users("77, python3 a,b.py, 1024 MiB\n") == (occupancy.GpuUser(77, "python3 a,b.py", 1024**3),)
    assert occupancy.gpu_users("77, x, [N/A]\n") == (occupancy.GpuUser(77, "x", None),)


def test_a_loader_cache_without_its_first_line_is_an_extract() -> None:
    line = "\tlibcudart.so.13 (libc6,AArch64) => /usr/local/cuda/lib/libcudart.so.13\n"
    assert libraries.loader_cache(line) == libraries.LoaderCache(("libcudart.so.13",), complete=False)
    whole = libraries.loader_cache("1 libs found in cache `/etc/ld.so.cache'\n" + line)
    assert whole is not None
    assert whole.complete


def test_half_installed_packages_are_broken_and_removed_ones_are_not() -> None:
    found = libraries.packages(
        "a\tinstall ok half-configured\t1-1\nb\tdeinstall ok config-files\t1-1\nc\thold ok installed\t1-1\n"
    )
    assert [package.broken for package in found] == [True, False, False]
    assert [package.installed for package in found] == [False, False, True]


def test_who_holds_the_lock_and_what_dpkg_complains_about() -> None:
    found = occupancy.apt_state(
        "reboot_required=yes\ndpkg_lock=1234 unattended-upgr\naudit:\nThe following packages are only half configured\n"
    )
    assert found == occupancy.AptState(
        True, "1234 unattended-upgr", ("The following packages are only half configured",)
    )


def test_a_stopped_service_has_no_process() -> None:
    running = occupancy.own_state('{"unit": {"ActiveState": "active", "MainPID": "42"}}')
    stopped = occupancy.own_state('{"unit": {"ActiveState": "inactive", "MainPID": "0"}}')
    assert running is not None
    assert stopped is not None
    assert (running.main_pid, stopped.main_pid) == (42, None)


def test_an_answer_that_failed_gives_no_fact() -> None:
    facts = facts_of(
        Snapshot("h", "", False, {"uname": Answer(124, "Linux 6.8 aarch64\n"), "find_cudart": Answer(0, "None\n")})
    )
    assert facts.kernel is None
    assert facts.cudart == ""
    assert facts.sudo is None
