"""Simulated packages of NVIDIA: real debs with real names and versions, holding stub libraries instead of TensorRT."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from edgeops.lab.kinds import Kind
from edgeops.lab.programs import run

REPOSITORY = "/opt/lab/debs"
"""On each host: a local apt repository with everything simulated and the Python packages that edgeops may install."""

_NAMES = (
    "libnvinfer{}",
    "libnvinfer-plugin{}",
    "libnvinfer-vc-plugin{}",
    "libnvinfer-lean{}",
    "libnvinfer-dispatch{}",
    "libnvonnxparsers{}",
    "libnvinfer-bin",
    "python3-libnvinfer",
    "python3-libnvinfer-lean",
    "python3-libnvinfer-dispatch",
)
TENSORRT_10 = tuple(name.format(10) for name in _NAMES)
TENSORRT_11 = tuple(name.format(11) for name in _NAMES)
TENSORRT_11_VERSION = "11.4.0.106-1+cuda13.2"
TENSORRT_10_VERSIONS = ("10.13.3.9-1+cuda13.0", "10.16.1.11-1+cuda13.2", "10.16.2.10-1+cuda13.2")
"""Every host can have each of these, as from NVIDIA's own repository: who asks for no version gets the newest."""

_NEEDS = {
    "libnvinfer-plugin{}": "libnvinfer{}",
    "libnvinfer-vc-plugin{}": "libnvinfer{}",
    "libnvonnxparsers{}": "libnvinfer-plugin{}",
    "libnvinfer-bin": "libnvonnxparsers{}",
    "python3-libnvinfer": "libnvonnxparsers{}",
    "python3-libnvinfer-lean": "libnvinfer-lean{}",
    "python3-libnvinfer-dispatch": "libnvinfer-dispatch{}",
}
"""What each needs in its own exact version: why all of them have to be pinned together."""

_BINDINGS = '''"""Simulated TensorRT bindings (edgeops lab): a version and nothing else."""

__version__ = "{}"
'''


@dataclass(frozen=True)
class Deb:
    """One package; ``files`` maps paths below / to content, ``links`` to the target of a symbolic link."""

    name: str
    version: str
    files: dict[str, bytes] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    depends: str = ""

    @property
    def control(self) -> str:
        lines = [
            f"Package: {self.name}",
            f"Version: {self.version}",
            "Architecture: all",
            "Maintainer: edgeops lab <lab@localhost>",
            *([f"Depends: {self.depends}"] if self.depends else []),
            f"Description: simulated {self.name} (edgeops lab)",
        ]
        return "\n".join(lines) + "\n"


def tensorrt_debs(version: str, stubs: dict[str, bytes]) -> list[Deb]:
    """All packages of one TensorRT. ``stubs`` are shared objects by soname without version: ``libnvinfer``."""
    upstream = version.split("-", maxsplit=1)[0]
    major = upstream.split(".")[0]
    names = TENSORRT_10 if major == "10" else TENSORRT_11
    libraries = {f"libnvinfer{major}": "libnvinfer", f"libnvinfer-plugin{major}": "libnvinfer_plugin"}
    libraries[f"libnvonnxparsers{major}"] = "libnvonnxparser"
    return [_tensorrt_deb(name, version, libraries.get(name, ""), stubs) for name in names]


def _depends(name: str, version: str) -> str:
    major = version.split(".", maxsplit=1)[0]
    needs = {pattern.format(major): needed.format(major) for pattern, needed in _NEEDS.items()}
    return f"{needs[name]} (= {version})" if name in needs else ""


def _tensorrt_deb(name: str, version: str, library: str, stubs: dict[str, bytes]) -> Deb:
    upstream = version.split("-", maxsplit=1)[0]
    major, minor, patch = upstream.split(".")[:3]
    files, links, depends = {}, {}, _depends(name, version)
    if library:
        real = f"{library}.so.{major}.{minor}.{patch}"
        links = {f"usr/lib/aarch64-linux-gnu/{library}.so.{major}": real}
        files = {f"usr/lib/aarch64-linux-gnu/{real}": stubs[f"{library}.so.{major}"]}
    if name == "python3-libnvinfer":
        files = {"usr/lib/python3/dist-packages/tensorrt/__init__.py": _BINDINGS.format(upstream).encode()}
    return Deb(name, version, files, links, depends)


def kind_debs(kind: Kind, stubs: dict[str, bytes]) -> list[Deb]:
    """What is installed on a good host of ``kind``."""
    return [*tensorrt_debs(kind.tensorrt, stubs), *(Deb(name, version) for name, version in kind.extras)]


def offered_debs(kind: Kind, stubs: dict[str, bytes]) -> list[Deb]:
    """What the local repository of a host of ``kind`` offers: its own set, the same of other versions, and the major
    version that must not be taken.
    """
    versions = [version for version in (*TENSORRT_10_VERSIONS, TENSORRT_11_VERSION) if version != kind.tensorrt]
    return [*kind_debs(kind, stubs), *(deb for version in versions for deb in tensorrt_debs(version, stubs))]


def build_deb(deb: Deb, directory: Path) -> Path:
    """Write ``<name>_<version>_all.deb`` into ``directory``."""
    target = directory / f"{deb.name}_{deb.version}_all.deb"
    with tempfile.TemporaryDirectory(dir=directory) as scratch:
        tree = Path(scratch) / "deb"
        _lay_out(deb, tree)
        run("dpkg-deb", "-Znone", "--root-owner-group", "-b", tree, target)
    return target


def _lay_out(deb: Deb, tree: Path) -> None:
    (tree / "DEBIAN").mkdir(parents=True, mode=0o755)
    tree.chmod(0o755)
    (tree / "DEBIAN/control").write_text(deb.control)
    for place, content in deb.files.items():
        _parent(tree / place).write_bytes(content)
    for place, target in deb.links.items():
        _parent(tree / place).symlink_to(target)


def _parent(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
