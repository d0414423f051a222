"""Which platform a host is, from several independent facts, and how sure that is. Its name in the inventory is none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from edgeops.snapshot.facts import Facts

UNKNOWN = "unknown"

GB10_PRODUCTS = {
    "gx10": "ASUS Ascent GX10",
    "ms-c931": "MSI EdgeXpert",
    "edgexpert": "MSI EdgeXpert",
    "hp zgx nano": "HP ZGX Nano",
    "30kl": "Lenovo ThinkStation PGX",
    "ai top atom": "Gigabyte AI TOP ATOM",
    "gn100": "Acer Veriton GN100",
    "pro max with gb10": "Dell Pro Max with GB10",
    "dgx spark": "NVIDIA DGX Spark",
    "gb10": "a GB10 machine",
}
"""How GB10 machines call themselves in DMI's product_name (owners' reports), by a part of that name."""

_CAPABILITIES = {"12.1": "dgx-spark", "11.0": "jetson-thor", "8.7": "jetson-orin"}
_HARDWARE, _FILE = 2, 1
"""What a fact weighs: a release file can be copied, hardware cannot."""


@dataclass(frozen=True)
class Evidence:
    """One fact that speaks for a platform."""

    platform: str
    fact: str
    weight: int


@dataclass(frozen=True)
class Platform:
    """``name`` is ``dgx-spark``, ``jetson-thor``, ``jetson-orin`` or ``unknown``; the evidence for and against it."""

    name: str
    evidence: tuple[Evidence, ...] = ()
    against: tuple[Evidence, ...] = ()

    @property
    def sureness(self) -> str:
        """``certain`` from two facts of the hardware on, without one against; ``likely`` or ``a guess`` below that."""
        hardware = sum(1 for item in self.evidence if item.weight == _HARDWARE)
        if hardware >= 2 and not self.against:
            return "certain"
        return "likely" if hardware else "a guess"

    @property
    def facts(self) -> str:
        """The evidence in words."""
        return ", ".join(item.fact for item in self.evidence)


def platform_of(facts: Facts) -> str:
    """``dgx-spark``, ``jetson-thor``, ``jetson-orin`` or ``unknown``."""
    return recognized(facts).name


def recognized(facts: Facts) -> Platform:
    """The platform with the weightiest evidence; unknown where there is none, or as much for two of them."""
    evidence = tuple(_evidence(facts))
    if _another(facts.device_model or facts.product_name or ""):
        return Platform(UNKNOWN)
    weights: dict[str, int] = {}
    for item in evidence:
        weights[item.platform] = weights.get(item.platform, 0) + item.weight
    best = max(weights.values(), default=0)
    names = [name for name, weight in weights.items() if weight == best]
    if len(names) != 1:
        return Platform(UNKNOWN, (), evidence)
    return Platform(
        names[0],
        tuple(item for item in evidence if item.platform == names[0]),
        tuple(item for item in evidence if item.platform != names[0]),
    )


def gb10_product(product_name: str | None) -> str | None:
    """The GB10 machine that calls itself ``product_name``; None for any other machine."""
    plain = re.sub(r"[_-]+", " ", product_name or "").casefold()
    raw = (product_name or "").casefold()
    return next((box for part, box in GB10_PRODUCTS.items() if part in plain or part in raw), None)


def _evidence(facts: Facts) -> Iterator[Evidence]:
    if gb10_product(facts.product_name):
        yield Evidence("dgx-spark", f"product name {facts.product_name}", _HARDWARE)
    if "10de:2e12" in (facts.pci_ids or ()):
        yield Evidence("dgx-spark", "PCI id 10de:2e12", _HARDWARE)
    yield from _gpu_evidence(facts)
    yield from _model_evidence(facts.device_model or facts.product_name or "")
    if facts.dgx and "spark" in f"{facts.dgx.name} {facts.dgx.platform}".casefold():
        yield Evidence("dgx-spark", f"/etc/dgx-release of {facts.dgx.name}", _FILE)
    if facts.l4t and facts.l4t.major == 38:
        yield Evidence("jetson-thor", f"L4T {facts.l4t.full}", _FILE)


def _another(model: str) -> bool:
    """An IGX or DRIVE machine has the GPU of a Jetson, and payloads and systems of its own."""
    return re.search(r"\b(igx|drive)\b", model.casefold()) is not None


def _gpu_evidence(facts: Facts) -> Iterator[Evidence]:
    for gpu in facts.gpus or ():
        name = (gpu.name or "").casefold()
        for part, platform in (("gb10", "dgx-spark"), ("thor", "jetson-thor"), ("orin", "jetson-orin")):
            if re.search(rf"\b{part}\b", name):
                yield Evidence(platform, f"GPU {gpu.name}", _HARDWARE)
        if gpu.capability in _CAPABILITIES:
            yield Evidence(_CAPABILITIES[gpu.capability], f"compute capability {gpu.capability}", _HARDWARE)


def _model_evidence(model: str) -> Iterator[Evidence]:
    plain = model.casefold()
    for part, platform in (("thor", "jetson-thor"), ("orin", "jetson-orin")):
        if "jetson" in plain and part in plain:
            yield Evidence(platform, f"model {model}", _HARDWARE)
