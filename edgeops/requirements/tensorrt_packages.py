"""Which Debian packages of TensorRT a host has, which of them count, and which it should have."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from edgeops.releases import TENSORRT_BUILDS, TENSORRT_PACKAGES
from edgeops.requirements.case import Case
from edgeops.snapshot.parsing.libraries import Package

_HELD = ("libnvinfer", "libnvonnxparsers", "python3-libnvinfer", "tensorrt")


@dataclass(frozen=True)
class Pins:
    """The Debian packages of TensorRT that a host shall have, all at ``version``: ``10.16.1.11-1+cuda13.2``, or
    ``10.17.0.5-*`` where it is not known for which CUDA it is built."""

    version: str
    names: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """As apt-get takes them: ``libnvinfer10=10.16.1.11-1+cuda13.2``."""
        return tuple(f"{name}={self.version}" for name in self.names)

    def fits(self, version: str | None) -> bool:
        """Whether an installed package of ``version`` is as it should be; None is not installed."""
        return version is not None and fnmatchcase(version, self.version)


def pins(case: Case) -> Pins | None:
    """What should be installed, whatever is there: the packages that serving needs, and every other one of TensorRT's
    that is installed and not named for another major.

    None where no version can be named: an unknown platform, or a Jetson without the packages of its JetPack.
    """
    version = _version(case)
    if version is None:
        return None
    major = version.split(".", maxsplit=1)[0]
    there = (package.name for package in case.facts.tensorrt_packages or () if package.installed)
    others = (name for name in there if name not in TENSORRT_PACKAGES and _named_major(name) in (None, major))
    return Pins(TENSORRT_BUILDS.get(version, f"{version}-*"), (*TENSORRT_PACKAGES, *others))


def wanted_version(case: Case) -> str | None:
    """The setting, else what the platform ships; a version (``10.16.1.11``) or a PEP 440 specifier."""
    if case.settings.tensorrt_version:
        return case.settings.tensorrt_version
    if case.jetpack:
        return case.jetpack.tensorrt
    return case.needs.tensorrt if case.needs else None


def _version(case: Case) -> str | None:
    """The exact version that is asked for, else the platform's own, where that is allowed."""
    asked, own = (wanted_version(case) or "").removeprefix("=="), _own_version(case)
    if own is None or re.fullmatch(r"[0-9]+(\.[0-9]+)+", asked):
        return asked if own else None
    allowed = specifier_of(asked)
    return own if allowed is not None and contains(allowed, own) else None


def _own_version(case: Case) -> str | None:
    if case.spark and case.needs:
        return case.needs.tensorrt.removeprefix("==")
    return case.jetpack.tensorrt if case.jetpack and case.facts.jetpack else None


def specifier_of(wanted: str) -> SpecifierSet | None:
    """``wanted`` as PEP 440 has it; None where it is no version and no specifier."""
    text = wanted if wanted[:1] in "=<>!~" else f"=={wanted}"
    try:
        return SpecifierSet(text)
    except InvalidSpecifier:
        return None


def contains(specifier: SpecifierSet, found: str) -> bool:
    """Whether ``found`` is a version that ``specifier`` allows."""
    try:
        return specifier.contains(Version(found), prereleases=True)
    except InvalidVersion:
        return False


def installed(case: Case) -> list[Package]:
    """The packages that count: a whole other major beside (``libnvinfer11``) is loaded by nothing."""
    unused = beside(case)
    return [p for p in case.facts.tensorrt_packages or () if p.installed and p.name not in unused]


def holdable(case: Case) -> list[Package]:
    """Those of them that belong on hold."""
    return [package for package in installed(case) if package.name.startswith(_HELD)]


def loose_names(case: Case) -> tuple[str, ...]:
    """Those that are not on hold."""
    held = case.facts.held or ()
    return tuple(p.name for p in holdable(case) if p.name not in held and not p.status.startswith("hold "))


def beside(case: Case) -> list[str]:
    """Packages named for another major than the one in use; majors do not exclude one another."""
    packages = [package for package in case.facts.tensorrt_packages or () if package.installed]
    majors = {package.name: _named_major(package.name) for package in packages}
    used = (case.facts.tensorrt or "").split(".", maxsplit=1)[0]
    if used not in majors.values():
        return []
    return [name for name, major in majors.items() if major not in (None, used)]


def _named_major(name: str) -> str | None:
    """``10`` of ``libnvinfer-plugin10``; None for a name that all majors share, such as ``python3-libnvinfer``."""
    match = re.fullmatch(r"lib[a-z-]+?([0-9]+)", name)
    return match[1] if match else None
