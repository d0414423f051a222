"""What the operating system, DGX OS and L4T call themselves."""

from __future__ import annotations

import re
from dataclasses import dataclass

from edgeops.snapshot.parsing.text import assignments, first_line, known


@dataclass(frozen=True)
class OsRelease:
    """``/etc/os-release``: ``id`` such as ``ubuntu``, ``version`` such as ``24.04`` (never the point release)."""

    id: str | None
    version: str | None
    name: str | None


@dataclass(frozen=True)
class DgxRelease:
    """``/etc/dgx-release``. ``version`` is the effective one: the last over-the-air update, else the factory image."""

    name: str | None
    platform: str | None
    version: str | None


@dataclass(frozen=True)
class L4tRelease:
    """``/etc/nv_tegra_release``. NVIDIA selects by major and minor; ``patch`` (the third number) is kept apart."""

    major: int
    minor: int
    patch: int | None

    @property
    def release(self) -> str:
        """``R39.2``, the form in which the vendor's selector compares."""
        return f"R{self.major}.{self.minor}"

    @property
    def full(self) -> str:
        """``R39.2.1``, for people."""
        return self.release if self.patch is None else f"{self.release}.{self.patch}"


def os_release(text: str) -> OsRelease | None:
    """os-release(5). None where neither ID nor VERSION_ID is there."""
    values = assignments(text)
    found = OsRelease(known(values.get("ID")), known(values.get("VERSION_ID")), known(values.get("PRETTY_NAME")))
    return found if found.id or found.version else None


def dgx_release(text: str) -> DgxRelease | None:
    """``KEY=value`` lines, quoted or not; an update appends its keys again, so the last value counts."""
    values = assignments(text)
    if not any(key.startswith("DGX_") for key in values):
        return None
    version = known(values.get("DGX_OTA_VERSION")) or known(values.get("DGX_SWBUILD_VERSION"))
    name = known(values.get("DGX_PRETTY_NAME")) or known(values.get("DGX_NAME"))
    return DgxRelease(name, known(values.get("DGX_PLATFORM")), version)


_L4T = re.compile(r"R([0-9]{1,4})\s*\(release\).{0,80}?REVISION:\s*([0-9]{1,4})(?:\.([0-9]{1,4}))?", re.DOTALL)
_L4T_SHORT = re.compile(r"R([0-9]{1,4})\.([0-9]{1,4})(?:\.([0-9]{1,4}))?")


def l4t_release(text: str) -> L4tRelease | None:
    """``# R39 (release), REVISION: 2.1, GCID: …`` is R39.2, patch 1."""
    match = _L4T.search(text) or _L4T_SHORT.search(text)
    if match is None:
        return None
    patch = match[3]
    return L4tRelease(int(match[1]), int(match[2]), None if patch is None else int(patch))


def model(text: str) -> str | None:
    """A device-tree model or a DMI product name; the device tree ends it with a NUL byte."""
    return known(first_line(text.replace("\x00", "\n")))
