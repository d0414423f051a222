"""The kinds of simulated host: what differs between them in packages; their files are below ``files/<kind>/``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from edgeops.errors import ConfigurationError

FILES = Path(__file__).resolve().parent / "files"
"""One tree of files a kind, laid out as on the host, and ``common`` for all."""


@dataclass(frozen=True)
class Kind:
    """``tensorrt`` and ``extras`` are Debian versions; ``cuda`` names /usr/local/cuda-<cuda>."""

    name: str
    tensorrt: str
    cuda: str
    extras: tuple[tuple[str, str], ...] = ()

    @property
    def files(self) -> tuple[Path, Path]:
        return FILES / "common", FILES / self.name


_JETPACK = (("nvidia-l4t-core", "39.2.0-00000000000000"), ("nvidia-jetpack", "7.2-b187"))

KINDS = {
    kind.name: kind
    for kind in (
        Kind("dgx-spark", "10.16.1.11-1+cuda13.2", "13.0"),
        Kind("jetson-thor", "10.16.2.10-1+cuda13.2", "13.2", _JETPACK),
        Kind("jetson-orin", "10.16.2.10-1+cuda13.2", "13.2", _JETPACK),
    )
}
"""DGX OS 7.6.0 with the TensorRT that NVIDIA qualifies for Spark, and JetPack 7.2 with the one it ships."""

_PREFIXES = {"thor": "jetson-thor", "orin": "jetson-orin"}


def kind_called(name: str) -> Kind:
    """The kind called ``name``. Raises ConfigurationError naming the known ones."""
    if name not in KINDS:
        raise ConfigurationError(f"no kind of simulated host is called {name!r}. Known: {', '.join(KINDS)}")
    return KINDS[name]


def kind_for(host: str) -> Kind:
    """What a host is when nothing is said: ``thor-*`` and ``orin-*`` are Jetsons, any other name a DGX Spark."""
    return KINDS[_PREFIXES.get(host.split("-", maxsplit=1)[0], "dgx-spark")]
