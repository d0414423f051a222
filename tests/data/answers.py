"""Answers of healthy machines, probe by probe: the ground on which the broken ones are told apart."""

from __future__ import annotations

from edgeops.snapshot import Answer

Answers = dict[str, Answer]

MISSING_FILE = Answer(1, "", "cat: No such file or directory\n")
MISSING_COMMAND = Answer(127, "", "sh: 1: not found\n")


def said(*lines: str) -> Answer:
    return Answer(0, "".join(f"{line}\n" for line in lines))


def os_release(point: str = "24.04.5", version: str = "24.04", codename: str = "noble") -> Answer:
    return said(
        f'PRETTY_NAME="Ubuntu {point} LTS"',
        'NAME="Ubuntu"',
        f'VERSION_ID="{version}"',
        f'VERSION="{point} LTS ({codename.title()})"',
        f"VERSION_CODENAME={codename}",
        "ID=ubuntu",
        "ID_LIKE=debian",
        'HOME_URL="https://www.ubuntu.com/"',
        f"UBUNTU_CODENAME={codename}",
        "LOGO=ubuntu-logo",
    )


def dgx_release(platform: str, *updates: str, quote: str = '"', factory: str = "7.2.3") -> Answer:
    """The factory image's lines, then one pair for each over-the-air update."""
    lines = [
        f"DGX_NAME={quote}DGX Spark{quote}",
        f"DGX_PRETTY_NAME={quote}NVIDIA DGX Spark{quote}",
        f"DGX_SWBUILD_DATE={quote}2025-09-10-13-50-03{quote}",
        f"DGX_SWBUILD_VERSION={quote}{factory}{quote}",
        f"DGX_COMMIT_ID={quote}833b4a7{quote}",
        f"DGX_PLATFORM={quote}{platform}{quote}",
        f"DGX_SERIAL_NUMBER={quote}0000000000000{quote}",
    ]
    for version in updates:
        lines += [
            "",
            f"DGX_OTA_VERSION={quote}{version}{quote}",
            f"DGX_OTA_DATE={quote}Thu Jun 18 17:40:28 EDT 2026{quote}",
        ]
    return said(*lines)


def meminfo(total_kb: int, available_kb: int, cma: tuple[int, int] = (0, 0)) -> Answer:
    return said(
        f"MemTotal:       {total_kb} kB",
        f"MemFree:        {available_kb - 2_000_000} kB",
        f"MemAvailable:   {available_kb} kB",
        "Buffers:          312148 kB",
        "SwapTotal:      16777212 kB",
        "SwapFree:       16777212 kB",
        f"CmaTotal:       {cma[0]} kB",
        f"CmaFree:        {cma[1]} kB",
    )


def df(device: str, size: int, available: int) -> Answer:
    """All four directories on one file system. Bytes."""
    head = "Filesystem         1-blocks         Used    Available Capacity Mounted on"
    line = f"{device} {size} {size - available} {available}       {100 - 100 * available // size}% /"
    return said(head, line, line, line, line)


def ldconfig(*libraries: str) -> Answer:
    """``NAME => PATH`` in the loader's order, below the line that shows the listing to be whole."""
    lines = [f"\t{library} (libc6,AArch64) => /usr/lib/aarch64-linux-gnu/{library}" for library in libraries]
    return said(f"{len(lines)} libs found in cache `/etc/ld.so.cache'", *lines)


TENSORRT_DEBS = (
    "libnvinfer-bin",
    "libnvinfer-dispatch10",
    "libnvinfer-lean10",
    "libnvinfer-plugin10",
    "libnvinfer-vc-plugin10",
    "libnvinfer10",
    "libnvonnxparsers10",
    "python3-libnvinfer",
    "python3-libnvinfer-dispatch",
    "python3-libnvinfer-lean",
)


def debs(version: str, *, hold: bool = True, names: tuple[str, ...] = TENSORRT_DEBS) -> Answer:
    status = "hold ok installed" if hold else "install ok installed"
    return said(*(f"{name}\t{status}\t{version}" for name in names))


NO_DEBS = Answer(1, "", "dpkg-query: no packages found matching libnvinfer*\n")
NO_TENSORRT = Answer(1, "", "ModuleNotFoundError: No module named 'tensorrt'\n")
SSHD = 'LISTEN 0      128          0.0.0.0:22        0.0.0.0:*    users:(("sshd",pid=1180,fd=3))'
RESOLVED = 'LISTEN 0      4096   127.0.0.53%lo:53        0.0.0.0:*    users:(("systemd-resolve",pid=902,fd=15))'
DASHBOARD = "LISTEN 0      4096       127.0.0.1:11000     0.0.0.0:*"
PORTS = (SSHD, RESOLVED)
OWN_NOTHING = said('{"state": null, "unit": null, "current": null, "models": null}')
CLEAR = said("reboot_required=no", "dpkg_lock=free", "audit:")


def smi(name: str, driver: str, capability: str) -> Answer:
    return said("name, driver_version, memory.total [MiB], compute_cap", f"{name}, {driver}, [N/A], {capability}")


COMMON: Answers = {
    "os_release": os_release(),
    "glibc": said("glibc 2.39"),
    "python": said("Python 3.12.3", "venv ok", "ensurepip ok"),
    "find_cudart": said("libcudart.so.13"),
    "clock": said("NTPSynchronized=yes", "TimeUSec=Mon 2026-11-30 09:12:44 UTC", "1796029964"),
    "ports": said(*PORTS),
    "sudo": Answer(0),
    "groups": said("video:x:44:", "render:x:993:"),
    "apt_state": CLEAR,
    "gpu_users": Answer(0),
    "edgeops": OWN_NOTHING,
    "fastos_release": MISSING_FILE,
    "dgx_release": MISSING_FILE,
    "nv_tegra_release": MISSING_FILE,
    "device_tree_model": MISSING_FILE,
    "product_name": MISSING_FILE,
    "apt_hold": said(*TENSORRT_DEBS),
    "ota_torn": MISSING_COMMAND,
    "nvpmodel": MISSING_COMMAND,
    "dpkg_jetpack": Answer(1, "", "dpkg-query: no packages found matching nvidia-jetpack\n"),
}

SPARK: Answers = COMMON | {
    "dgx_release": dgx_release("DGX Server for KVM", "7.5.0", "7.6.0"),
    "fastos_release": said('NAME="DGX SPARK FASTOS"', 'VERSION="1.91.51"', 'BUILD_TYPE="customer"'),
    "product_name": said("NVIDIA_DGX_Spark"),
    "uname": said("Linux 7.0.0-1019-nvidia aarch64"),
    "driver_module": said("580.178.04"),
    "nvidia_smi": smi("NVIDIA GB10", "580.178.04", "12.1"),
    "lspci_gpu": said("000f:01:00.0 0302: 10de:2e12 (rev a1)"),
    "ldconfig": ldconfig(
        "libnvrtc.so.13", "libnvonnxparser.so.10", "libnvinfer.so.10", "libcudart.so.13", "libcudart.so", "libcuda.so.1"
    ),
    "cuda_version_json": said('{"cuda": {"name": "CUDA SDK", "version": "13.0.3"}}'),
    "nvcc": said(
        "nvcc: NVIDIA (R) Cuda compiler driver",
        "Copyright (c) 2005-2025 NVIDIA Corporation",
        "Cuda compilation tools, release 13.0, V13.0.88",
    ),
    "tensorrt_python": said("10.16.1.11"),
    "dpkg_tensorrt": debs("10.16.1.11-1+cuda13.2"),
    "meminfo": meminfo(127_532_112, 121_612_408),
    "cmdline": said("BOOT_IMAGE=/boot/vmlinuz-7.0.0-1019-nvidia root=/dev/nvme0n1p2 ro kho=off quiet"),
    "df": df("/dev/nvme0n1p2", 4_000_787_030_016, 3_729_608_404_992),
    "ports": said(*PORTS, DASHBOARD),
    "ota_torn": said('{ "name": "OTA2609", "torn": 0 }'),
}


def l4t(major: int, revision: str, date: str) -> Answer:
    return said(
        f"# R{major} (release), REVISION: {revision}, GCID: 45755727, BOARD: generic, EABI: aarch64, DATE: {date}",
        "# KERNEL_VARIANT: oot",
        "TARGET_USERSPACE_LIB_DIR=nvidia",
        "TARGET_USERSPACE_LIB_DIR_PATH=usr/lib/aarch64-linux-gnu/nvidia",
        "INSTALL_TYPE=",
    )


def jetpack(package: str, core: str) -> Answer:
    return said(f"nvidia-jetpack\tinstall ok installed\t{package}", f"nvidia-l4t-core\tinstall ok installed\t{core}")


THOR: Answers = COMMON | {
    "os_release": os_release("24.04.4"),
    "nv_tegra_release": l4t(39, "2.0", "Fri Jun 12 08:11:20 UTC 2026"),
    "device_tree_model": Answer(0, "NVIDIA Jetson AGX Thor Developer Kit\0"),
    "product_name": said("NVIDIA Jetson AGX Thor Developer Kit"),
    "uname": said("Linux 6.8.12-1021-tegra aarch64"),
    "driver_module": said("595.78"),
    "nvidia_smi": smi("NVIDIA Thor", "595.78", "11.0"),
    "lspci_gpu": said("0000:01:00.0 0300: 10de:2b00 (rev a1)"),
    "ldconfig": ldconfig(
        "libnvonnxparser.so.10", "libnvinfer.so.10", "libcudart.so.13", "libcudart.so", "libcuda.so.1"
    ),
    "cuda_version_json": said('{"cuda": {"name": "CUDA SDK", "version": "13.2.0"}}'),
    "nvcc": said("Cuda compilation tools, release 13.2, V13.2.78"),
    "tensorrt_python": said("10.16.2.10"),
    "dpkg_tensorrt": debs("10.16.2.10-1+cuda13.2"),
    "dpkg_jetpack": jetpack("7.2-b187", "39.2.0-20260612081120"),
    "meminfo": meminfo(128_790_528, 119_002_112),
    "cmdline": said("root=PARTUUID=6a1f rw rootwait console=ttyTCU0,115200 mminit_loglevel=4"),
    "df": df("/dev/nvme0n1p1", 983_350_411_264, 820_338_753_536),
    "nvpmodel": said("NV Power Mode: MAXN", "0"),
    "groups": said("video:x:44:", "render:x:994:"),
}

ORIN: Answers = THOR | {
    "device_tree_model": Answer(0, "NVIDIA Jetson AGX Orin Developer Kit\0"),
    "product_name": said("NVIDIA Jetson AGX Orin Developer Kit"),
    "driver_module": MISSING_FILE,
    "nvidia_smi": smi("Orin (nvgpu)", "595.78", "8.7"),
    "lspci_gpu": Answer(0),
    "meminfo": meminfo(64_349_832, 59_103_412),
}
