"""All version knowledge: what each release of TensorRT Edge-LLM is called, installs, starts and needs.

Sources: the vendor's release notes (https://github.com/NVIDIA/TensorRT-Edge-LLM/releases), the installation
guide (https://nvidia.github.io/TensorRT-Edge-LLM/0.11.1/user_guide/getting_started/installation.html) and the wheel's
own manifest.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from edgeops.errors import ConfigurationError

PACKAGE = "tensorrt-edgellm"

TENSORRT_PACKAGES = (
    "libnvinfer10",
    "libnvinfer-plugin10",
    "libnvinfer-vc-plugin10",
    "libnvinfer-lean10",
    "libnvinfer-dispatch10",
    "libnvonnxparsers10",
    "libnvinfer-bin",
    "python3-libnvinfer",
    "python3-libnvinfer-lean",
    "python3-libnvinfer-dispatch",
)
"""The Debian packages of TensorRT 10 that serving needs. All of them at one version, or apt refuses:
https://github.com/NVIDIA/TensorRT/issues/4545."""

TENSORRT_BUILDS = {
    "10.3.0.30": "10.3.0.30-1+cuda12.5",
    "10.13.3.9": "10.13.3.9-1+cuda13.0",
    "10.16.1.11": "10.16.1.11-1+cuda13.2",
    "10.16.2.10": "10.16.2.10-1+cuda13.2",
}
"""The Debian version of each TensorRT that belongs to a platform. One version is built for several CUDAs, and apt takes
the newest: on JetPack 7.1 that is the wrong one. Sources: dpkg on such machines, NVIDIA's Jetson package lists."""

TENSORRT_DOWNLOADS = "https://docs.nvidia.com/deeplearning/tensorrt/10.16.1/installing-tensorrt/install-debian.html"
"""Where NVIDIA says how its apt repository, or a local one, is added to a host."""


@dataclass(frozen=True)
class JetPack:
    """What NVIDIA ships with one L4T release. ``cuda`` is the toolkit's version.

    Sources: https://developer.nvidia.com/embedded/jetpack/downloads/archive-7.0.md and archive-7.1.md, package lists.
    """

    l4t: str
    name: str
    tensorrt: str
    cuda: str


JETPACKS = {
    jetpack.l4t: jetpack
    for jetpack in (
        JetPack("R36.4", "6.2", "10.3.0.30", "12.6"),
        JetPack("R38.2", "7.0", "10.13.3.9", "13.0"),
        JetPack("R38.4", "7.1", "10.13.3.9", "13.0"),
        JetPack("R39.2", "7.2", "10.16.2.10", "13.2"),
    )
}


@dataclass(frozen=True)
class PlatformNeeds:
    """What one release needs on one platform.

    ``tensorrt`` is a PEP 440 specifier; ``sm`` the compute capability; ``l4t`` the releases it has a payload for, empty
    where L4T plays no part; ``unsupported`` number formats of models; ``cuda_packages`` ends CUDA's package names.
    """

    tensorrt: str
    sm: str
    cudart: str = "libcudart.so.13"
    libraries: tuple[str, ...] = ("libnvinfer.so.10",)
    l4t: tuple[str, ...] = ()
    driver_branch: str | None = None
    unsupported: tuple[str, ...] = ()
    cuda_packages: str | None = None


@dataclass(frozen=True)
class Payload:
    """A native payload of the wheel and the facts that select it (the wheel's ``_native/variants.json``).

    ``source`` is ``l4t`` or ``device-model``; a device model matches if it contains one of ``values``.
    """

    id: str
    platform: str
    source: str
    values: tuple[str, ...]
    sm: str
    cudart: str = "libcudart.so.13"
    tensorrt_major: int = 10


@dataclass(frozen=True)
class EdgellmRelease:
    """One published version. ``command`` is the console script and its words before the model."""

    version: str
    command: tuple[str, ...]
    extra: str
    pythons: tuple[str, ...] = ("3.10", "3.11", "3.12")
    glibc: str = "2.39"
    platforms: dict[str, PlatformNeeds] = field(default_factory=dict)
    payloads: tuple[Payload, ...] = ()
    arch: str = "aarch64"
    ubuntu: str = "24.04"
    dgx_os: str = "7.6.0"
    model_markers: tuple[str, ...] = ("dgx spark", "gb10", "igx thor")
    batching_with_speculation: bool = False

    @property
    def requirement(self) -> str:
        """The pin as pip reads it: ``tensorrt-edgellm[server]==0.11.1``."""
        return f"{PACKAGE}[{self.extra}]=={self.version}"


_PLATFORMS = {
    "dgx-spark": PlatformNeeds(
        tensorrt="==10.16.1.11",
        sm="12.1",
        libraries=("libnvinfer.so.10", "libnvonnxparser.so.10", "libnvrtc.so.13"),
        driver_branch="580",
        cuda_packages="13-0",
    ),
    "jetson-thor": PlatformNeeds(
        tensorrt="==10.*",
        sm="11.0",
        libraries=("libnvinfer.so.10", "libnvonnxparser.so.10"),
        l4t=("R38.2", "R38.4", "R39.2"),
    ),
    "jetson-orin": PlatformNeeds(
        tensorrt="==10.*",
        sm="8.7",
        libraries=("libnvinfer.so.10", "libnvonnxparser.so.10"),
        l4t=("R39.2",),
        unsupported=("nvfp4", "mxfp4", "fp4", "fp8"),
    ),
}

# The rows of 0.11.0 for aarch64. Those of 0.11.1 and 0.12.0 were never seen and are taken to be the same; a release
# is proven on the host in any case before anything is switched.
_PAYLOADS = (
    Payload("dgx-spark-cu13-sm121", "dgx-spark", "device-model", ("dgx spark", "gb10"), "12.1"),
    Payload("jetson-thor-jp70-cu13-sm110", "jetson-thor", "l4t", ("R38.2",), "11.0"),
    Payload("jetson-thor-jp71-cu13-sm110", "jetson-thor", "l4t", ("R38.4",), "11.0"),
    Payload("jetson-thor-jp72-cu13-sm110", "jetson-thor", "l4t", ("R39.2",), "11.0"),
    Payload("jetson-orin-jp72-cu13-sm87", "jetson-orin", "l4t", ("R39.2",), "8.7"),
)

RELEASES = {
    release.version: release
    for release in (
        EdgellmRelease("0.11.0", ("tensorrt-edgellm-serve",), "server", platforms=_PLATFORMS, payloads=_PAYLOADS),
        EdgellmRelease("0.11.1", ("trtedge", "serve"), "server", platforms=_PLATFORMS, payloads=_PAYLOADS),
        EdgellmRelease(
            "0.12.0",
            ("edgellm", "serve"),
            "runtime",
            platforms=_PLATFORMS,
            payloads=_PAYLOADS,
            batching_with_speculation=True,
        ),
    )
}


def edgellm_release(version: str) -> EdgellmRelease:
    """The release called ``version``. Raises ConfigurationError naming the known ones."""
    try:
        return RELEASES[version]
    except KeyError:
        known = ", ".join(RELEASES)
        raise ConfigurationError(f"edgellm_version {version!r} is not known to this edgeops. Known: {known}") from None
