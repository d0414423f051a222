from __future__ import annotations

import os
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeops.preparation.apt import (
    Step,
    fitted,
    install_command,
    madison_command,
    missing_words,
    offers,
    simulation,
    simulation_command,
    untouchable,
)

MADISON = """\
libnvinfer10 | 10.16.2.10-1+cuda13.2 | https://repository.example/sbsa  Packages
libnvinfer10 | 10.16.1.11-1+cuda13.2 | https://repository.example/sbsa  Packages
libnvinfer10 | 10.16.1.11-1+cuda13.2 | file:/var/nv-tensorrt-local-repo  Packages
libnvinfer10 | 10.16.1.11-1+cuda12.9 | https://repository.example/sbsa  Packages
libnvinfer-bin | 10.16.1.11-1+cuda12.9 | https://repository.example/sbsa  Packages
"""

SIMULATED = """\
NOTE: This is only a simulation!
Reading package lists...
The following packages will be REMOVED:
  tensorrt
Remv tensorrt [11.4.0.106-1+cuda13.2]
Inst libnvinfer10:arm64 [10.16.2.10-1+cuda13.2] (10.16.1.11-1+cuda13.2 NVIDIA:local [arm64])
Inst cuda-cudart-13-2 (13.2.78-1 NVIDIA:local [arm64])
Inst python3.12-venv (3.12.3-1ubuntu0.8 Ubuntu:24.04/noble-updates [arm64]) []
Conf libnvinfer10:arm64 (10.16.1.11-1+cuda13.2 NVIDIA:local [arm64])
"""


def planned(*names: str) -> str:
    return "".join(f"Inst {name} (1.0 x [arm64])\n" for name in names)


def test_every_version_is_offered_once_the_newest_first() -> None:
    offered = offers(MADISON)
    assert offered["libnvinfer10"] == ("10.16.2.10-1+cuda13.2", "10.16.1.11-1+cuda13.2", "10.16.1.11-1+cuda12.9")
    assert offered["libnvinfer-bin"] == ("10.16.1.11-1+cuda12.9",)


def test_a_package_is_missing_in_the_version_that_is_asked_for_or_altogether() -> None:
    words = ("libnvinfer10=10.16.1.11-1+cuda13.2", "libnvinfer-bin=10.16.1.11-1+cuda13.2", "python3-venv")
    assert missing_words(words, offers(MADISON)) == words[1:]
    assert missing_words(("libnvinfer-bin",), offers(MADISON)) == ()


def test_an_unknown_build_is_the_newest_that_all_packages_can_be_had_in() -> None:
    words = ("libnvinfer10=10.16.1.11-*", "libnvinfer-bin=10.16.1.11-*", "python3-venv")
    assert fitted(words, offers(MADISON)) == (
        "libnvinfer10=10.16.1.11-1+cuda12.9",
        "libnvinfer-bin=10.16.1.11-1+cuda12.9",
        "python3-venv",
    )
    assert fitted(words[:1], offers(MADISON)) == ("libnvinfer10=10.16.1.11-1+cuda13.2",)


def test_a_version_that_does_not_exist_is_not_replaced_by_one_that_begins_alike() -> None:
    words = ("libnvinfer10=10.16.1.1-*",)
    assert fitted(words, offers(MADISON)) == words
    assert missing_words(words, offers(MADISON)) == words


def test_a_simulation_is_read_with_what_goes_and_what_comes() -> None:
    read = simulation(SIMULATED)
    assert read.removes == ("tensorrt",)
    assert read.installs[0] == Step("libnvinfer10", "10.16.2.10-1+cuda13.2", "10.16.1.11-1+cuda13.2")
    assert read.installs[2] == Step("python3.12-venv", "", "3.12.3-1ubuntu0.8")


def test_removals_and_cuda_are_told_by_name() -> None:
    assert untouchable(simulation(SIMULATED)) == ("remove tensorrt", "install cuda-cudart-13-2 13.2.78-1")


@pytest.mark.parametrize(
    "name",
    [
        "nvidia-driver-580-open",
        "nvidia-l4t-core",
        "linux-image-7.0.0-1019-nvidia",
        "linux-firmware",
        "nvidia-spark-ota",
        "intel-microcode-firmware",
        "cuda-toolkit-13-0",
        "libnvidia-compute-580",
        "libcudart12",
        "libcuda1",
        "grub-efi-arm64",
        "dkms",
    ],
)
def test_driver_kernel_firmware_and_cuda_are_never_touched(name: str) -> None:
    assert untouchable(simulation(planned("libnvinfer10", name))) == (f"install {name} 1.0",)


def test_what_prepare_is_for_may_be_installed() -> None:
    names = ("libnvinfer10", "libnvonnxparsers10", "python3-libnvinfer", "python3.12-venv", "python3-pip-whl", "libc6")
    assert untouchable(simulation(planned(*names))) == ()


def test_an_installation_never_removes_and_allows_what_was_simulated() -> None:
    line = install_command(("libnvinfer10=1+cuda13.2",))
    assert " --no-remove " in line
    assert " --allow-downgrades " in line
    assert " libnvinfer10=1+cuda13.2 " in line


def test_a_simulation_says_what_would_have_to_go() -> None:
    line = simulation_command(("libnvinfer10=1",))
    assert " -s " in line
    assert "--no-remove" not in line


def test_an_installation_ends_with_apts_own_code_and_says_what_apt_said(tmp_path) -> None:
    apt = tmp_path / "apt-get"
    apt.write_text("#!/bin/sh\necho out; echo 'E: no' >&2; exit 100\n")
    apt.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    line = install_command(("a",))
    place = {"PATH": path, "TMPDIR": str(tmp_path)}
    ran = subprocess.run(["sh", "-c", line], env=place, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (100, "", "out\nE: no\n")
    assert [entry.name for entry in tmp_path.iterdir()] == ["apt-get"]


def test_a_hostile_name_stays_one_word() -> None:
    assert "'a; reboot'" in madison_command(["a; reboot"])
    assert "'a; reboot'" in install_command(("a; reboot",))


@given(st.text(max_size=300))
def test_whatever_apt_says_is_no_exception(text: str) -> None:
    assert isinstance(offers(text), dict)
    assert untouchable(simulation(text)) is not None
