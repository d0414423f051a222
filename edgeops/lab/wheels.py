"""The wheelhouse of the simulated hosts: everything that the vendor's server requires, resolved by pip once, and the
stand-ins.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from edgeops.lab.cache import Recipe, Report, obtain
from edgeops.lab.overlay import overlaid
from edgeops.lab.programs import Chroot, run
from edgeops.lab.stand_in import STAND_INS, VENDOR_VERSION, StandIn, build_wheel, ingredients
from edgeops.lab.stubs import compile_stubs
from edgeops.locations import DEPLOYS

_PYTHON = "3.11"
_GLIBC_MINOR = 36
"""Of the simulated hosts' Debian: wheels that need at most this can be used there."""

_DRY = ("--dry-run", "--break-system-packages", "--ignore-installed", "--no-index", "--find-links=/mnt")

_TOOLS = ("pip", "setuptools", "wheel")
"""What a virtual environment asks for besides the server."""


def wheelhouse(base: Path, cache: Path, report: Report) -> Path:
    """The directory with all wheels, for ``--find-links``; the pip of ``base`` proves that nothing is missing."""
    vendor = vendor_wheel(cache, report)
    closure = server_closure(cache, report)

    def build(tree: Path) -> None:
        for wheel in closure.iterdir():
            os.link(wheel, tree / wheel.name)
        plugin = compile_stubs()["libNvInfer_edgellm_plugin.so"]
        for stand_in in STAND_INS:
            build_wheel(vendor, plugin, stand_in, tree)
        _prove(base, tree)

    made_of = (VENDOR_VERSION, closure.parent.name, *ingredients(), Path(__file__).read_text())
    return obtain(Recipe("wheels", made_of, build, "making the stand-in wheels"), cache, report)


def server_closure(cache: Path, report: Report) -> Path:
    """Everything that the vendor's server requires, as pip resolves it for the hosts' Python, and pip itself."""
    vendor = vendor_wheel(cache, report)
    pins = tuple(dict.fromkeys(_pins(stand_in) for stand_in in STAND_INS))

    def build(tree: Path) -> None:
        for one in pins:
            _download(tree, _server_requirements(vendor), one)

    notice = "downloading what the vendor's server requires (once per machine, some seconds)"
    return obtain(Recipe("closure", (VENDOR_VERSION, _PYTHON, *_TOOLS, *pins), build, notice), cache, report)


def vendor_wheel(cache: Path, report: Report) -> Path:
    """The vendor's wheel without its compiled payloads (1.5 of 200 MB): its Python files are all that is used."""

    def build(tree: Path) -> None:
        with tempfile.TemporaryDirectory(dir=tree.parent) as scratch:
            platforms = _platforms(range(35, 40))
            _pip("download", "--no-deps", *platforms, f"--dest={scratch}", f"tensorrt-edgellm=={VENDOR_VERSION}")
            _without_payloads(next(Path(scratch).glob("*.whl")), tree / "vendor.whl")

    notice = f"downloading tensorrt-edgellm {VENDOR_VERSION} (200 MB, once per machine)"
    return obtain(Recipe("vendor", (VENDOR_VERSION, _PYTHON), build, notice), cache, report) / "vendor.whl"


def _without_payloads(vendor: Path, target: Path) -> None:
    with zipfile.ZipFile(vendor) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name in source.namelist():
            if "/_native/payloads/" not in name:
                wheel.writestr(name, source.read(name))


def _server_requirements(vendor: Path) -> list[str]:
    """What the extra ``server`` of the vendor's wheel requires, as pip reads it."""
    with zipfile.ZipFile(vendor) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        lines = wheel.read(name).decode().partition("\n\n")[0].splitlines()
    required = [line.removeprefix("Requires-Dist: ") for line in lines if line.startswith("Requires-Dist: ")]
    wanted = [line for line in required if "extra ==" not in line or line.endswith('extra == "server"')]
    return [re.sub(r"\s*;\s*extra == .*", "", line) for line in wanted]


def _pins(stand_in: StandIn) -> str:
    """The versions that deploy pins for this release: they must be in the wheelhouse."""
    path = DEPLOYS / "constraints" / f"{stand_in.version}.txt"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _download(tree: Path, requirements: Sequence[str], pins: str) -> None:
    platforms = [*_platforms(range(5, _GLIBC_MINOR + 1)), f"--platform=manylinux2014_{platform.machine()}"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as constraints:
        constraints.write(pins)
        constraints.flush()
        _pip("download", *platforms, f"--dest={tree}", f"--constraint={constraints.name}", *requirements, *_TOOLS)


def _platforms(glibc_minors: range) -> list[str]:
    tags = [f"--platform=manylinux_2_{minor}_{platform.machine()}" for minor in glibc_minors]
    return ["--only-binary=:all:", "--implementation=cp", f"--python-version={_PYTHON}", *tags]


def _prove(base: Path, tree: Path) -> None:
    """Let the hosts' own pip resolve every stand-in from the wheelhouse alone. Raises EdgeopsError."""
    with (
        tempfile.TemporaryDirectory(dir=tree.parent) as scratch,
        overlaid([base], Path(scratch) / "upper", Path(scratch)) as merged,
    ):
        run("mount", "--bind", tree, merged / "mnt")
        for stand_in in STAND_INS:
            (merged / "tmp/pins").write_text(_pins(stand_in))
            requirement = f"tensorrt-edgellm[{stand_in.extra}]=={stand_in.version}"
            Chroot(merged).run("python3", "-m", "pip", "install", *_DRY, "--constraint=/tmp/pins", requirement)


def _pip(*words: str) -> str:
    """pip of this Python, with the caller's pip configuration; one of a new virtual environment where this Python has
    none.
    """
    environment = {key: value for key, value in os.environ.items() if key.startswith("PIP_")}
    if importlib.util.find_spec("pip"):
        return run(sys.executable, "-m", "pip", *words, environment=environment)
    with tempfile.TemporaryDirectory() as scratch:
        run(sys.executable, "-m", "venv", scratch)
        return run(f"{scratch}/bin/python", "-m", "pip", *words, environment=environment)
