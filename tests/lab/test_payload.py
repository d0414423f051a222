"""The payload that edgeops predicts is the one that the vendor's own selector picks, for every known kind of host.

The selector is the wheel's Python, read from the wheel that the lab keeps; its rows are those of edgeops, since the
wheel for this machine holds none for aarch64. A host's files and answers stand in for the machine.
"""

from __future__ import annotations

import importlib
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from edgeops.lab.places import CACHE
from edgeops.lab.wheels import vendor_wheel
from edgeops.releases import Payload
from edgeops.requirements import Case
from edgeops.requirements.payload import prediction
from edgeops.settings import Settings
from edgeops.snapshot.probes import IDS
from tests.data.build import snapshot_of
from tests.data.hosts import FIXTURES, Fixture

pytestmark = pytest.mark.lab

PACKAGE = "tensorrt_edgellm"
WHOLE = [fixture for fixture in FIXTURES if set(fixture.answers) == IDS]


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The vendor's package ``_native``, without the package around it."""
    root = tmp_path_factory.mktemp("vendor")
    CACHE.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(vendor_wheel(CACHE, lambda _: None)) as wheel:
        wheel.extractall(root, [name for name in wheel.namelist() if f"{PACKAGE}/_native/" in name])
    parent = ModuleType(PACKAGE)
    parent.__path__ = [str(root / PACKAGE)]
    sys.modules[PACKAGE] = parent
    yield importlib.import_module(f"{PACKAGE}._native")
    for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
        del sys.modules[name]


def rows(payloads: tuple[Payload, ...], python_abi: str) -> dict[str, Any]:
    """The payloads as the vendor's manifest writes them."""
    return {
        "variants": [
            {
                "variant_id": row.id,
                "python_abi": python_abi,
                "platform_probe_source": row.source,
                "platform_probe_values": list(row.values),
                "cpu_arch": "aarch64",
                "cuda_runtime_soname": row.cudart,
                "tensorrt_runtime_soname": f"libnvinfer.so.{row.tensorrt_major}",
                "gpu_sm": int(row.sm.replace(".", "")),
            }
            for row in payloads
        ]
    }


FILES = {
    "os_release": "etc/os-release",
    "nv_tegra_release": "etc/nv_tegra_release",
    "device_tree_model": "proc/device-tree/model",
    "product_name": "sys/class/dmi/id/product_name",
}


def place(fixture: Fixture, root: Path) -> None:
    """The files that the selector reads, below ``root``."""
    for probe, name in FILES.items():
        answer = fixture.answers[probe]
        if answer.rc == 0:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(answer.out, encoding="utf-8")


def chosen(native: ModuleType, case: Case, root: Path, monkeypatch: pytest.MonkeyPatch) -> str | None:
    """The variant that the vendor's code selects, None where it raises."""
    detect = importlib.import_module(f"{PACKAGE}._native.detect")
    select = importlib.import_module(f"{PACKAGE}._native.select")
    facts = case.facts
    major = (facts.tensorrt or "").partition(".")[0]
    machine = facts.kernel.machine if facts.kernel else ""
    capabilities = [gpu.capability for gpu in facts.gpus or () if gpu.capability]
    abi = f"cp{facts.python.minor.replace('.', '')}" if facts.python and facts.python.minor else "none"
    libraries = {"cudart": facts.cudart or None}
    monkeypatch.setattr(detect, "Path", lambda path: root / str(path).lstrip("/"))
    monkeypatch.setattr(detect, "platform", SimpleNamespace(machine=lambda: machine))
    monkeypatch.setattr(detect, "loaded_tensorrt_soname", lambda: f"libnvinfer.so.{major}" if major else None)
    monkeypatch.setattr(detect.ctypes.util, "find_library", libraries.get)
    monkeypatch.setattr(detect, "_cuda_device_sms", lambda: tuple(int(c.replace(".", "")) for c in capabilities))
    monkeypatch.setattr(detect, "_python_abi", lambda: abi)
    try:
        return str(select.select_variant(detect.detect_platform(), rows(case.release.payloads, abi))["variant_id"])
    except native.NativeRuntimeError:
        return None


def test_most_fixtures_have_all_that_the_selector_reads() -> None:
    assert len(WHOLE) >= 24


@pytest.mark.parametrize("fixture", WHOLE, ids=lambda fixture: fixture.name)
def test_the_prediction_is_what_the_vendor_selects(
    native: ModuleType, fixture: Fixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place(fixture, tmp_path)
    case = Case(snapshot_of(fixture), Settings())
    predicted = prediction(case).payload
    assert (predicted.id if predicted else None) == chosen(native, case, tmp_path, monkeypatch)
