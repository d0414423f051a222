"""The hosts: a healthy machine, the answers that make it another one, and what has to be said about it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from edgeops.requirements import IDS
from edgeops.snapshot import Answer
from tests.data.answers import (
    MISSING_COMMAND,
    MISSING_FILE,
    NO_DEBS,
    NO_TENSORRT,
    ORIN,
    PORTS,
    SPARK,
    THOR,
    Answers,
    debs,
    df,
    dgx_release,
    jetpack,
    l4t,
    ldconfig,
    meminfo,
    os_release,
    said,
    smi,
)

SPARK_PLATFORM, THOR_PLATFORM, ORIN_PLATFORM = "dgx-spark", "jetson-thor", "jetson-orin"


@dataclass(frozen=True)
class Fixture:
    """``not_green`` are all verdicts that are no pass, by id; ``settings`` are those that are not the defaults."""

    name: str
    platform: str
    answers: Answers
    not_green: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


def _without(answers: Answers, *probes: str) -> Answers:
    return {probe: answer for probe, answer in answers.items() if probe not in probes}


def _oem(name: str, product: str, release: Answer, not_green: Mapping[str, str] | None = None) -> Fixture:
    answers = SPARK | {"product_name": said(product), "dgx_release": release}
    return Fixture(name, SPARK_PLATFORM, answers, {"gpu.payload": "fail", **(not_green or {})})


def _jetpack_70(minor: str, package: str) -> Answers:
    return THOR | {
        "nv_tegra_release": l4t(38, minor, "Fri Aug 22 00:55:42 UTC 2025"),
        "driver_module": said("580.00"),
        "nvidia_smi": smi("NVIDIA Thor", "580.00", "11.0"),
        "cuda_version_json": said('{"cuda": {"name": "CUDA SDK", "version": "13.0.0"}}'),
        "tensorrt_python": said("10.13.3.9"),
        "dpkg_tensorrt": debs("10.13.3.9-1+cuda13.0"),
        "dpkg_jetpack": jetpack(package, f"38.{minor}-20250822005542"),
    }


def _serving(available_kb: int) -> Answers:
    unit = {"LoadState": "loaded", "ActiveState": "active", "SubState": "running", "MainPID": "4242", "NRestarts": "0"}
    current = "/opt/edgeops/releases/0.11.1-1a2b3c4d"
    models = {
        "nvidia--NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4": 21_620_000_000,
        "nvidia--NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4-DSpark": 1_360_000_000,
    }
    own = {"state": {"schema": "edgeops.state/1"}, "unit": unit, "current": current, "models": models}
    listener = 'LISTEN 0 2048 127.0.0.1:8000 0.0.0.0:* users:(("trtedge",pid=4242,fd=21))'
    return {
        "edgeops": said(json.dumps(own)),
        "ports": said(*PORTS, listener),
        "meminfo": meminfo(127_532_112, available_kb),
        "gpu_users": said("4242, /opt/edgeops/releases/0.11.1-1a2b3c4d/venv/bin/python3, 61440 MiB"),
        "df": df("/dev/nvme0n1p2", 4_000_787_030_016, 12_000_000_000),
    }


PLAIN_SERVER: Answers = _without(SPARK, "dgx_release", "fastos_release") | {
    "dgx_release": MISSING_FILE,
    "fastos_release": MISSING_FILE,
    "product_name": said("PowerEdge R650"),
    "uname": said("Linux 6.8.0-71-generic x86_64"),
    "driver_module": MISSING_FILE,
    "nvidia_smi": MISSING_COMMAND,
    "gpu_users": MISSING_COMMAND,
    "lspci_gpu": Answer(0),
    "find_cudart": said("None"),
    "ldconfig": ldconfig("libz.so.1"),
    "cuda_version_json": MISSING_FILE,
    "nvcc": MISSING_COMMAND,
    "tensorrt_python": NO_TENSORRT,
    "dpkg_tensorrt": NO_DEBS,
    "apt_hold": Answer(0),
    "ota_torn": MISSING_COMMAND,
}

NO_PACKAGES = {"dpkg_tensorrt": NO_DEBS, "apt_hold": Answer(0), "tensorrt_python": NO_TENSORRT}
NO_PACKAGES_VERDICTS = {
    "tensorrt.python": "fail",
    "tensorrt.version": "skip",
    "tensorrt.consistent": "skip",
    "tensorrt.held": "skip",
    "gpu.payload": "skip",
}

FIXTURES = (
    Fixture("spark-fe", SPARK_PLATFORM, SPARK),
    Fixture(
        "spark-dell",
        SPARK_PLATFORM,
        SPARK
        | {
            "product_name": said("Dell Pro Max with GB10 FCM1253"),
            "dgx_release": dgx_release("Dell Pro Max with GB10 FCM1253", "7.6.0"),
            "uname": said("Linux 6.17.0-1032-nvidia aarch64"),
        },
    ),
    Fixture(
        "spark-factory",
        SPARK_PLATFORM,
        SPARK
        | {
            "dgx_release": dgx_release("DGX Server for KVM"),
            "os_release": os_release("24.04.3"),
            "uname": said("Linux 6.14.0-1013-nvidia aarch64"),
        },
        {"host.os": "warn"},
    ),
    Fixture("spark-without-tensorrt", SPARK_PLATFORM, SPARK | NO_PACKAGES, NO_PACKAGES_VERDICTS),
    Fixture(
        "spark-tensorrt-11",
        SPARK_PLATFORM,
        SPARK
        | {
            "tensorrt_python": said("11.0.0.114"),
            "dpkg_tensorrt": debs("11.0.0.114-1+cuda13.2", names=("libnvinfer11", "python3-libnvinfer")),
        },
        {"tensorrt.version": "fail", "gpu.payload": "fail"},
    ),
    Fixture(
        "spark-tensorrt-10.13",
        SPARK_PLATFORM,
        SPARK | {"tensorrt_python": said("10.13.3.9"), "dpkg_tensorrt": debs("10.13.3.9-1+cuda13.0")},
        {"tensorrt.version": "fail"},
    ),
    Fixture(
        "spark-mixed-tensorrt",
        SPARK_PLATFORM,
        SPARK
        | {
            "dpkg_tensorrt": Answer(
                0,
                debs("10.16.1.11-1+cuda13.2").out
                + "libnvinfer-dev\tinstall ok installed\t10.13.2.6-1+cuda13.0\n"
                + "tensorrt\tunknown ok not-installed\t\n",
            )
        },
        {"tensorrt.consistent": "fail", "tensorrt.held": "warn"},
    ),
    Fixture(
        "spark-tensorrt-not-held",
        SPARK_PLATFORM,
        SPARK | {"dpkg_tensorrt": debs("10.16.1.11-1+cuda13.2", hold=False), "apt_hold": Answer(0)},
        {"tensorrt.held": "warn"},
    ),
    Fixture(
        "spark-no-cudart",
        SPARK_PLATFORM,
        SPARK | {"find_cudart": said("None"), "ldconfig": ldconfig("libnvinfer.so.10", "libcuda.so.1")},
        {"cuda.runtime": "fail", "gpu.payload": "skip"},
    ),
    Fixture(
        "spark-cudart-12-first",
        SPARK_PLATFORM,
        SPARK
        | {
            "find_cudart": said("libcudart.so.12"),
            "ldconfig": ldconfig("libnvrtc.so.13", "libcudart.so.12", "libcudart.so.13", "libcuda.so.1"),
        },
        {"cuda.runtime": "fail", "gpu.payload": "fail"},
    ),
    _oem("oem-asus", "GX10", dgx_release("GX10", "7.3.1", "7.4.0", "7.5.0", "7.6.0")),
    _oem("oem-msi", "MS-C931", dgx_release("MS-C931", "7.6.0")),
    _oem(
        "oem-hp",
        "HP ZGX Nano G1n AI Station",
        dgx_release("HP ZGX Nano G1n AI Station", "7.5.0", quote=""),
        {"host.os": "warn"},
    ),
    _oem("oem-lenovo", "30KLS02X00", dgx_release("30KLS02X00", factory="7.6.0")),
    _oem("oem-gigabyte", "AI TOP ATOM", dgx_release("AI TOP ATOM", "7.6.0")),
    Fixture("thor-jetpack-7.0", THOR_PLATFORM, _jetpack_70("2.0", "7.0-b128")),
    Fixture("thor-jetpack-7.1", THOR_PLATFORM, _jetpack_70("4.0", "7.1-b143")),
    Fixture("thor-jetpack-7.2", THOR_PLATFORM, THOR),
    Fixture(
        "thor-jetpack-7.2.1",
        THOR_PLATFORM,
        THOR
        | {
            "nv_tegra_release": l4t(39, "2.1", "Fri Aug  7 05:54:22 AM UTC 2026"),
            "dpkg_jetpack": jetpack("7.2.1-b49", "39.2.1-20260806224157"),
            "nvpmodel": said("NV Power Mode: 120W", "1"),
        },
        {"host.power": "warn"},
    ),
    Fixture(
        "thor-without-sdk",
        THOR_PLATFORM,
        THOR
        | NO_PACKAGES
        | {
            "dpkg_jetpack": Answer(1, "nvidia-l4t-core\tinstall ok installed\t39.2.0-20260612081120\n"),
            "find_cudart": said("None"),
            "cuda_version_json": MISSING_FILE,
            "nvcc": MISSING_COMMAND,
            "python": said("Python 3.12.3", "venv ok", "ensurepip missing"),
        },
        NO_PACKAGES_VERDICTS | {"cuda.runtime": "fail", "cuda.toolkit": "warn", "host.python": "warn"},
    ),
    Fixture(
        "thor-unknown-l4t",
        THOR_PLATFORM,
        THOR
        | {"nv_tegra_release": l4t(39, "3.0", "Tue Nov 17 10:00:00 UTC 2026"), "tensorrt_python": said("10.17.0.5")}
        | {"dpkg_tensorrt": debs("10.17.0.5-1+cuda13.3")},
        {"host.platform": "fail", "gpu.payload": "fail", "tensorrt.version": "warn"},
    ),
    Fixture("orin-nvfp4", ORIN_PLATFORM, ORIN, {"model.precision": "fail"}),
    Fixture(
        "orin-int4",
        ORIN_PLATFORM,
        ORIN,
        {"model.memory": "skip", "settings.speculation": "skip"},
        {"model": "acme/Small-8B-INT4"},
    ),
    Fixture(
        "orin-jetpack-6",
        ORIN_PLATFORM,
        ORIN
        | {
            "os_release": os_release("22.04.5", "22.04", "jammy"),
            "nv_tegra_release": l4t(36, "4.3", "Wed Jan  8 01:49:37 UTC 2025"),
            "uname": said("Linux 5.15.148-tegra aarch64"),
            "glibc": said("glibc 2.35"),
            "python": said("Python 3.10.12", "venv ok", "ensurepip ok"),
            "nvidia_smi": Answer(
                0, "name, driver_version, memory.total [MiB], compute_cap\nOrin (nvgpu), 540.4.0, [N/A], 8.7\n"
            ),
            "find_cudart": said("libcudart.so.12"),
            "ldconfig": ldconfig("libnvinfer.so.10", "libcudart.so.12"),
            "cuda_version_json": said('{"cuda": {"name": "CUDA SDK", "version": "12.6.68"}}'),
            "tensorrt_python": said("10.3.0"),
            "dpkg_tensorrt": debs("10.3.0.30-1+cuda12.5"),
            "dpkg_jetpack": jetpack("6.2.1+b38", "36.4.3-20250107174145"),
        },
        {
            "host.platform": "fail",
            "host.os": "fail",
            "host.glibc": "fail",
            "gpu.payload": "fail",
            "cuda.runtime": "fail",
            "cuda.toolkit": "warn",
            "model.precision": "fail",
        },
    ),
    Fixture(
        "spark-driver-mismatch",
        SPARK_PLATFORM,
        SPARK
        | {
            "driver_module": said("580.159.03"),
            "nvidia_smi": Answer(
                18,
                "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.178\n",
            ),
            "gpu_users": Answer(18, "Failed to initialize NVML: Driver/library version mismatch\n"),
            "apt_state": said("reboot_required=yes", "dpkg_lock=free", "audit:"),
        },
        {
            "gpu.driver": "fail",
            "gpu.capability": "skip",
            "gpu.payload": "skip",
            "host.gpu_users": "skip",
            "host.updates": "warn",
        },
    ),
    Fixture(
        "spark-driver-610",
        SPARK_PLATFORM,
        SPARK | {"driver_module": said("610.12"), "nvidia_smi": smi("NVIDIA GB10", "610.12", "12.1")},
        {"gpu.driver": "warn"},
    ),
    Fixture(
        "spark-kho",
        SPARK_PLATFORM,
        SPARK
        | {
            "meminfo": meminfo(117_702_112, 111_612_408, cma=(0, 9_751_552)),
            "cmdline": said("BOOT_IMAGE=/boot/vmlinuz-7.0.0-1019-nvidia root=/dev/nvme0n1p2 ro quiet"),
        },
        {"host.memory": "warn"},
    ),
    Fixture(
        "spark-little-memory",
        SPARK_PLATFORM,
        SPARK | {"meminfo": meminfo(127_532_112, 20_612_408)},
        {"model.memory": "fail"},
    ),
    Fixture(
        "spark-torn-ota",
        SPARK_PLATFORM,
        SPARK | {"ota_torn": said('{ "name": "OTA2607", "torn": 0.4 }')},
        {"host.updates": "warn"},
    ),
    Fixture(
        "spark-1970",
        SPARK_PLATFORM,
        SPARK | {"clock": said("NTPSynchronized=no", "TimeUSec=Thu 1970-01-01 00:03:12 UTC", "192")},
        {"host.clock": "fail"},
    ),
    Fixture(
        "spark-unsynchronized",
        SPARK_PLATFORM,
        SPARK | {"clock": said("NTPSynchronized=no", "TimeUSec=Mon 2026-11-30 09:12:44 UTC", "1796029964")},
        {"host.clock": "warn"},
    ),
    Fixture(
        "spark-dpkg-locked",
        SPARK_PLATFORM,
        SPARK | {"apt_state": said("reboot_required=no", "dpkg_lock=1234 unattended-upgr", "audit:")},
        {"host.updates": "warn"},
    ),
    Fixture(
        "spark-full-disk",
        SPARK_PLATFORM,
        SPARK | {"df": df("/dev/nvme0n1p2", 1_000_204_886_016, 18_253_611_008)},
        {"host.disk": "fail"},
    ),
    Fixture(
        "spark-busy-port",
        SPARK_PLATFORM,
        SPARK | {"ports": said(*PORTS, 'LISTEN 0 2048 *:8000 *:* users:(("docker-proxy",pid=5123,fd=4))')},
        {"host.port": "fail"},
    ),
    Fixture(
        "spark-busy-neighbour",
        SPARK_PLATFORM,
        SPARK
        | {
            "ports": said(
                *PORTS,
                'LISTEN 0 2048 127.0.0.2:8000 0.0.0.0:* users:(("python3",pid=5123,fd=4))',
                'LISTEN 0 2048 [::1]:8000 [::]:* users:(("python3",pid=5124,fd=4))',
                'LISTEN 0 2048 127.0.0.1:8001 0.0.0.0:* users:(("python3",pid=5125,fd=4))',
            )
        },
    ),
    Fixture("spark-serving", SPARK_PLATFORM, SPARK | _serving(available_kb=28_612_408)),
    Fixture(
        "spark-vllm-beside",
        SPARK_PLATFORM,
        SPARK | {"gpu_users": said("7781, VLLM::EngineCore, 80123 MiB"), "meminfo": meminfo(127_532_112, 40_612_408)},
        {"host.gpu_users": "warn"},
    ),
    Fixture(
        "spark-without-venv",
        SPARK_PLATFORM,
        SPARK | {"python": said("Python 3.12.3", "venv ok", "ensurepip missing")},
        {"host.python": "warn"},
    ),
    Fixture(
        "spark-no-sudo",
        SPARK_PLATFORM,
        SPARK | {"sudo": Answer(1, "", "sudo: a password is required\n")},
        {"host.sudo": "fail"},
    ),
    Fixture(
        "spark-no-groups",
        SPARK_PLATFORM,
        SPARK | {"groups": Answer(2, "video:x:44:\n")},
        {"host.groups": "fail"},
    ),
    Fixture(
        "spark-stray-l4t",
        SPARK_PLATFORM,
        SPARK | {"nv_tegra_release": l4t(38, "2.0", "Fri Aug 22 00:55:42 UTC 2025")},
        {"gpu.payload": "fail"},
    ),
    Fixture(
        "spark-truncated",
        SPARK_PLATFORM,
        _without(
            SPARK, "ports", "clock", "python", "find_cudart", "edgeops", "tensorrt_python", "gpu_users", "apt_state"
        ),
        {
            "host.port": "skip",
            "host.clock": "skip",
            "host.python": "skip",
            "cuda.runtime": "skip",
            "gpu.payload": "skip",
            "tensorrt.python": "skip",
            "tensorrt.version": "skip",
            "host.gpu_users": "skip",
            "host.updates": "skip",
        },
    ),
    Fixture(
        "spark-noisy",
        SPARK_PLATFORM,
        {probe: Answer(answer.rc, answer.out.replace("\n", "\r\n"), answer.err) for probe, answer in SPARK.items()}
        | {
            "nvidia_smi": Answer(0, f"WARNING: infoROM is corrupted at gpu 000F:01:00.0\n\n{SPARK['nvidia_smi'].out}"),
            "tensorrt_python": Answer(0, "<frozen importlib>: RuntimeWarning: numpy ufunc size changed\n10.16.1.11\n"),
            "nvpmodel": Answer(127, "", "nvpmodel: commande introuvable\n"),
        },
    ),
    Fixture(
        "plain-ubuntu-server",
        "unknown",
        PLAIN_SERVER,
        {
            "host.platform": "fail",
            "host.arch": "fail",
            "host.gpu_users": "skip",
            "gpu.driver": "fail",
            "gpu.capability": "skip",
            "gpu.payload": "fail",
            "cuda.runtime": "fail",
            "cuda.toolkit": "warn",
            "tensorrt.python": "fail",
            "tensorrt.version": "skip",
            "tensorrt.consistent": "skip",
            "tensorrt.held": "skip",
            "model.precision": "skip",
        },
    ),
    Fixture(
        "nothing-readable",
        "unknown",
        {},
        dict.fromkeys(set(IDS) - {"host.power", "settings.speculation"}, "skip") | {"host.platform": "fail"},
    ),
)
