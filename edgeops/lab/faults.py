"""What can be wrong with a simulated host from the start. A fault changes the host's own disk, never the shared one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from edgeops.errors import ConfigurationError
from edgeops.lab.debs import REPOSITORY, TENSORRT_10, TENSORRT_11, TENSORRT_11_VERSION
from edgeops.lab.programs import Chroot


@dataclass(frozen=True)
class Fault:
    """``apply`` gets the host's tree before its first boot."""

    summary: str
    apply: Callable[[Path], None]


def _tensorrt_11(tree: Path) -> None:
    _no_tensorrt(tree)
    debs = [f"{REPOSITORY}/{name}_{TENSORRT_11_VERSION}_all.deb" for name in TENSORRT_11]
    Chroot(tree).run("dpkg", "-i", *debs)
    Chroot(tree).run("ldconfig")


def _no_tensorrt(tree: Path) -> None:
    Chroot(tree).run("dpkg", "--purge", "--force-hold", *reversed(TENSORRT_10))
    Chroot(tree).run("ldconfig")


def _no_cudart(tree: Path) -> None:
    for library in (tree / "usr/local/cuda/lib64").glob("libcudart.so*"):
        library.unlink()
    Chroot(tree).run("ldconfig")


def _cudart_12(tree: Path) -> None:
    _no_cudart(tree)
    (tree / "opt/lab/faults/libcudart.so.12").rename(tree / "usr/local/cuda/lib64/libcudart.so.12")
    Chroot(tree).run("ldconfig")


def _sudo_password(tree: Path) -> None:
    _sudoers(tree).write_text("nvidia ALL=(ALL:ALL) ALL\n")
    Chroot(tree).run("chpasswd", stdin="nvidia:lab\n")


def _no_sudo(tree: Path) -> None:
    _sudoers(tree).unlink()
    Chroot(tree).run("gpasswd", "-d", "nvidia", "sudo")


def _low_memory(tree: Path) -> None:
    path = tree / "etc/lab/meminfo"
    lines = [_LOW.get(line.split(":")[0], line) for line in path.read_text().splitlines()]
    path.write_text("\n".join(lines) + "\n")


def _full_disk(tree: Path) -> None:
    (tree / "etc/lab/disk").write_text("4000787030016 3999176417280 1610612736\n")


def _oem_name(tree: Path) -> None:
    (tree / "etc/lab/sys/class/dmi/id/product_name").write_text("GX10\n")


def _no_venv(tree: Path) -> None:
    Chroot(tree).run("dpkg", "--purge", "python3-venv", "python3.11-venv")


def _sudoers(tree: Path) -> Path:
    return tree / "etc/sudoers.d/nvidia"


_LOW = {"MemFree": "MemFree:         3145728 kB", "MemAvailable": "MemAvailable:    6291456 kB"}

FAULTS = {
    "tensorrt-11": Fault("TensorRT 11 instead of 10", _tensorrt_11),
    "no-tensorrt": Fault("no TensorRT", _no_tensorrt),
    "no-cudart": Fault("no CUDA runtime library", _no_cudart),
    "cudart-12": Fault("the CUDA runtime of CUDA 12", _cudart_12),
    "sudo-password": Fault("sudo asks for a password (it is: lab)", _sudo_password),
    "no-sudo": Fault("the login user may not use sudo", _no_sudo),
    "low-memory": Fault("6 GiB of available memory", _low_memory),
    "full-disk": Fault("1.5 GiB of free disk", _full_disk),
    "oem-name": Fault("the DMI name of an OEM box (GX10)", _oem_name),
    "no-venv": Fault("python3-venv is not installed", _no_venv),
}


def known_faults(names: Iterable[str]) -> tuple[str, ...]:
    """``names``, each once. Raises ConfigurationError for one that does not exist."""
    chosen = tuple(dict.fromkeys(names))
    for name in chosen:
        if name not in FAULTS:
            raise ConfigurationError(f"no fault is called {name!r}. Known: {', '.join(FAULTS)}")
    return chosen
