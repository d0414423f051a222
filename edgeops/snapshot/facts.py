"""All that a snapshot says, as values. What a probe did not say is None: unknown, which is not the same as absent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from edgeops.snapshot import Snapshot
from edgeops.snapshot.parsing import hardware, libraries, occupancy, releases

T = TypeVar("T")

DIRECTORIES = ("/", "/opt", "/var/lib", "/tmp")
"""What ``df`` is asked about, in this order."""


@dataclass(frozen=True)
class Facts:
    """One host. Memory and disk in bytes; an empty tuple means "none", None means "not known"."""

    os: releases.OsRelease | None
    dgx: releases.DgxRelease | None
    l4t: releases.L4tRelease | None
    product_name: str | None
    device_model: str | None
    kernel: hardware.Kernel | None
    glibc: str | None
    python: libraries.Python | None
    driver_module: str | None
    gpus: tuple[hardware.Gpu, ...] | None
    pci_ids: tuple[str, ...] | None
    cudart: str | None
    loader: libraries.LoaderCache | None
    cuda_toolkit: str | None
    tensorrt: str | None
    tensorrt_packages: tuple[libraries.Package, ...] | None
    jetpack_packages: tuple[libraries.Package, ...] | None
    held: tuple[str, ...] | None
    memory: hardware.Memory | None
    cmdline: str | None
    disks: tuple[occupancy.Disk, ...] | None
    power: hardware.Power | None
    clock: occupancy.Clock | None
    listeners: tuple[occupancy.Listener, ...] | None
    sudo: bool | None
    groups: tuple[str, ...] | None
    apt: occupancy.AptState | None
    torn: float | None
    gpu_users: tuple[occupancy.GpuUser, ...] | None
    own: occupancy.OwnState | None

    @property
    def jetpack(self) -> str | None:
        """The version of the package ``nvidia-jetpack``, where it is installed."""
        found = [p.version for p in self.jetpack_packages or () if p.name == "nvidia-jetpack" and p.installed]
        return found[0] if found else None

    @property
    def capability(self) -> str | None:
        """The compute capability, where all GPUs have the same."""
        found = {gpu.capability for gpu in self.gpus or ()}
        return found.pop() if len(found) == 1 else None


def facts_of(snapshot: Snapshot) -> Facts:
    """Read every answer of ``snapshot``. Never raises: an answer that cannot be read is None."""
    said = _Answers(snapshot)
    return Facts(
        os=said.by("os_release", releases.os_release),
        dgx=said.by("dgx_release", releases.dgx_release),
        l4t=said.by("nv_tegra_release", releases.l4t_release),
        product_name=said.by("product_name", releases.model),
        device_model=said.by("device_tree_model", releases.model),
        kernel=said.by("uname", hardware.kernel),
        glibc=said.by("glibc", hardware.glibc),
        python=said.by("python", libraries.python),
        driver_module=said.by("driver_module", hardware.driver_module),
        gpus=said.by("nvidia_smi", hardware.gpus),
        pci_ids=said.by("lspci_gpu", hardware.nvidia_pci_ids),
        cudart=said.by("find_cudart", libraries.cudart),
        loader=said.by("ldconfig", libraries.loader_cache),
        cuda_toolkit=said.by("cuda_version_json", libraries.cuda_version_json) or said.by("nvcc", libraries.nvcc),
        tensorrt=said.by("tensorrt_python", libraries.tensorrt_version),
        tensorrt_packages=said.by("dpkg_tensorrt", libraries.packages, accepted=(0, 1)),
        jetpack_packages=said.by("dpkg_jetpack", libraries.packages, accepted=(0, 1)),
        held=said.by("apt_hold", libraries.held),
        memory=said.by("meminfo", hardware.memory),
        cmdline=said.by("cmdline", libraries.last_line),
        disks=said.by("df", occupancy.disks, accepted=(0, 1)),
        power=said.by("nvpmodel", hardware.power),
        clock=said.by("clock", occupancy.clock),
        listeners=said.by("ports", occupancy.listeners),
        sudo=said.sudo(),
        groups=said.by("groups", occupancy.groups, accepted=(0, 2)),
        apt=said.by("apt_state", occupancy.apt_state, accepted=(0, 1)),
        torn=said.by("ota_torn", hardware.torn_score),
        gpu_users=said.by("gpu_users", occupancy.gpu_users),
        own=said.by("edgeops", occupancy.own_state),
    )


@dataclass(frozen=True)
class _Answers:
    """A snapshot asked probe by probe."""

    snapshot: Snapshot

    def by(self, probe: str, parse: Callable[[str], T], accepted: tuple[int, ...] = (0,)) -> T | None:
        answer = self.snapshot.probes.get(probe)
        return parse(answer.out) if answer and answer.rc in accepted else None

    def sudo(self) -> bool | None:
        answer = self.snapshot.probes.get("sudo")
        return None if answer is None or answer.rc in (124, 137) else answer.rc == 0
