"""All version knowledge: what each release of TensorRT Edge-LLM is called, installs, starts and needs.

Sources: the vendor's release notes (https://github.com/NVIDIA/TensorRT-Edge-LLM/releases), installation guide
(https://nvidia.github.io/TensorRT-Edge-LLM/0.11.1/user_guide/getting_started/installation.html) and the wheel's own manifest.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from edgeops.errors import ConfigurationError

PACKAGE = "tensorrt-edgellm"


@dataclass(frozen=True)
class PlatformNeeds:
    """What one release needs on one platform. ``tensorrt`` is a PEP 440 specifier; ``sm`` the compute capability."""

    tensorrt: str
    sm: str
    cudart: str = "libcudart.so.13"
    libraries: tuple[str, ...] = ("libnvinfer.so.10",)


@dataclass(frozen=True)
class EdgellmRelease:
    """One published version. ``command`` is the console script and its words before the model."""

    version: str
    command: tuple[str, ...]
    extra: str
    pythons: tuple[str, ...] = ("3.10", "3.11", "3.12")
    glibc: str = "2.39"
    platforms: dict[str, PlatformNeeds] = field(default_factory=dict)

    @property
    def requirement(self) -> str:
        """The pin as pip reads it: ``tensorrt-edgellm[server]==0.11.1``."""
        return f"{PACKAGE}[{self.extra}]=={self.version}"


_PLATFORMS = {
    "dgx-spark": PlatformNeeds(tensorrt="==10.16.1.11", sm="12.1"),
    "jetson-thor": PlatformNeeds(tensorrt="==10.*", sm="11.0"),
    "jetson-orin": PlatformNeeds(tensorrt="==10.*", sm="8.7"),
}

RELEASES = {
    release.version: release
    for release in (
        EdgellmRelease("0.11.0", ("tensorrt-edgellm-serve",), "server", platforms=_PLATFORMS),
        EdgellmRelease("0.11.1", ("trtedge", "serve"), "server", platforms=_PLATFORMS),
        EdgellmRelease("0.12.0", ("edgellm", "serve"), "runtime", platforms=_PLATFORMS),
    )
}


def edgellm_release(version: str) -> EdgellmRelease:
    """The release called ``version``. Raises ConfigurationError naming the known ones."""
    try:
        return RELEASES[version]
    except KeyError:
        known = ", ".join(RELEASES)
        raise ConfigurationError(f"edgellm_version {version!r} is not known to this edgeops. Known: {known}") from None
