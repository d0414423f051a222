"""The shared file systems of the lab: a small Debian, and above it one layer a kind with all that makes it look like
the real box.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from edgeops.lab.cache import Recipe, Report, obtain
from edgeops.lab.debs import REPOSITORY, TENSORRT_10, build_deb, kind_debs, offered_debs
from edgeops.lab.kinds import Kind
from edgeops.lab.overlay import overlaid
from edgeops.lab.programs import Chroot, run
from edgeops.lab.stubs import CAPABILITY_FILE, compile_stubs, sources

SUITE = "bookworm"
PACKAGES = (
    *("systemd", "systemd-sysv", "dbus", "openssh-server", "sudo", "python3", "python3-venv", "python3-pip"),
    *("iproute2", "procps", "psmisc", "ca-certificates", "curl", "rsync"),
)
"""What a DGX OS or JetPack image has of the things that edgeops meets. Python is 3.11, for which the vendor has a
wheel.
"""

VENV_PACKAGES = (
    "python3-venv",
    "python3.11-venv",
    "python3-pip-whl",
    "python3-setuptools-whl",
    "python3-distutils",
    "python3-lib2to3",
)
"""Kept as debs, so that a host without them can install them as a real one does."""

MODEL = "/opt/lab/models/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4"
_CUDA_LIBRARIES = ("libcudart.so.13", "libnvrtc.so.13")


def base_system(cache: Path, report: Report) -> Path:
    """The small Debian, built with mmdebstrap."""
    notice = "building the simulated hosts' Debian (once per machine, about half a minute)"
    return obtain(Recipe("system", (SUITE, *PACKAGES, *VENV_PACKAGES), _build_base, notice), cache, report)


def kind_layer(kind: Kind, base: Path, cache: Path, report: Report) -> Path:
    """What makes the base a host of ``kind``."""

    def build(tree: Path) -> None:
        with tempfile.TemporaryDirectory(dir=tree.parent) as scratch, overlaid([base], tree, Path(scratch)) as merged:
            _furnish(merged, kind)

    ingredients = (base.parent.name, kind.name, repr(kind), *sources().values(), *_contents(kind.files), *_code())
    return obtain(Recipe(kind.name, ingredients, build, f"making a {kind.name} of it"), cache, report)


def _build_base(tree: Path) -> None:
    keep = " ".join(VENV_PACKAGES)
    hook = f'mkdir -p "$1{REPOSITORY}" && chroot "$1" sh -c "cd {REPOSITORY} && apt-get download {keep}"'
    with tempfile.TemporaryDirectory() as scratch:
        run(
            *(
                "unshare",
                "--mount",
                "mmdebstrap",
                "--variant=minbase",
                f"--include={','.join(PACKAGES)}",
                "--format=directory",
            ),
            *(f"--customize-hook={hook}", SUITE, tree),
            environment={"TMPDIR": scratch},
        )
    for key in (tree / "etc/ssh").glob("ssh_host_*"):
        key.unlink()


def _furnish(tree: Path, kind: Kind) -> None:
    stubs = compile_stubs()
    for source in kind.files:
        _copy(source, tree)
    _install_cuda(tree, kind, stubs)
    _install_packages(tree, kind, stubs)
    _add_user(tree)
    _settle(tree)


def _copy(source: Path, tree: Path) -> None:
    for path in sorted(source.rglob("*")):
        target = tree / path.relative_to(source)
        if path.is_dir():
            target.mkdir(parents=True, exist_ok=True)
            continue
        target.unlink(missing_ok=True)
        shutil.copyfile(path, target)
        target.chmod(0o755 if path.parent.name in ("bin", "sbin") else 0o644)
    model = tree / "etc/lab/sys/firmware/devicetree/base/model"
    if model.exists():
        model.write_bytes(model.read_bytes().rstrip(b"\n") + b"\0")


def _install_cuda(tree: Path, kind: Kind, stubs: dict[str, bytes]) -> None:
    cuda = tree / f"usr/local/cuda-{kind.cuda}"
    libraries = cuda / "targets/sbsa-linux/lib"
    libraries.mkdir(parents=True)
    (cuda / "lib64").symlink_to("targets/sbsa-linux/lib")
    (tree / "usr/local/cuda").symlink_to(cuda.name)
    for soname in _CUDA_LIBRARIES:
        (libraries / soname).write_bytes(stubs[soname])
    vendor = tree / "usr/lib/aarch64-linux-gnu"
    vendor.mkdir()
    (vendor / "libcuda.so.1").write_bytes(stubs["libcuda.so.1"])
    (tree / "opt/lab/faults").mkdir(parents=True)
    (tree / "opt/lab/faults/libcudart.so.12").write_bytes(stubs["libcudart.so.12"])
    directories = "/usr/local/cuda/targets/sbsa-linux/lib\n/usr/lib/aarch64-linux-gnu\n"
    (tree / "etc/ld.so.conf.d/000_cuda.conf").write_text(directories)


def _install_packages(tree: Path, kind: Kind, stubs: dict[str, bytes]) -> None:
    repository = tree / REPOSITORY.lstrip("/")
    debs = {(deb.name, deb.version): build_deb(deb, repository) for deb in offered_debs(kind, stubs)}
    index = run("sh", "-c", 'cd "$0" && dpkg-scanpackages --multiversion . 2>/dev/null', repository)
    (repository / "Packages").write_text(index)
    for sources_file in [tree / "etc/apt/sources.list", *(tree / "etc/apt/sources.list.d").iterdir()]:
        sources_file.unlink(missing_ok=True)
    (tree / "etc/apt/sources.list").write_text(f"deb [trusted=yes] file:{REPOSITORY} ./\n")
    chroot = Chroot(tree)
    chroot.run("apt-get", "update")
    chroot.run("dpkg", "-i", *(f"{REPOSITORY}/{debs[deb.name, deb.version].name}" for deb in kind_debs(kind, stubs)))
    chroot.run("apt-mark", "hold", *TENSORRT_10)
    chroot.run("ldconfig")


def _add_user(tree: Path) -> None:
    chroot = Chroot(tree)
    chroot.run("groupadd", "-r", "render")
    chroot.run("useradd", "-m", "-s", "/bin/bash", "-G", "adm,sudo,video,render", "nvidia")
    sudoers = tree / "etc/sudoers.d/nvidia"
    sudoers.write_text("nvidia ALL=(ALL:ALL) NOPASSWD: ALL\n")
    sudoers.chmod(0o440)


def _settle(tree: Path) -> None:
    values = dict(line.split("=", 1) for line in (tree / "etc/lab/gpu").read_text().splitlines())
    (tree / CAPABILITY_FILE.lstrip("/")).write_text(values["CAPABILITY"] + "\n")
    for directory in ("etc/lab/sys/class", "etc/lab/sys/firmware", "etc/lab/driver", "opt/lab/wheels"):
        (tree / directory).mkdir(parents=True, exist_ok=True)
    wants = tree / "etc/systemd/system/sysinit.target.wants"
    wants.mkdir(exist_ok=True)
    (wants / "lab-boot.service").symlink_to("../lab-boot.service")


def _contents(directories: Iterable[Path]) -> list[str]:
    files = [path for directory in directories for path in sorted(directory.rglob("*")) if path.is_file()]
    return [f"{path.name}\n{path.read_text()}" for path in files]


def _code() -> list[str]:
    return [(Path(__file__).parent / name).read_text() for name in ("system.py", "debs.py")]
