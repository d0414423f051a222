"""Stand-in wheels of TensorRT Edge-LLM: the vendor's own Python of 0.11.0 around the scripted engine.

One for each version, with the names that it gives its commands and extras. They are made on the lab machine from the
vendor's wheel and never published; their version ends in ``+lab`` and their summary says what they are. A local version
satisfies ``==0.11.1`` (PEP 440, "Version matching"). The vendor's payload selection runs unchanged: its manifest points
to the scripted engine, a Python file, where the real one points to a compiled module.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

VENDOR_VERSION = "0.11.0"
_SCRIPTED = Path(__file__).resolve().parent / "scripted"
_PACKAGE = "tensorrt_edgellm_lab"
_PAYLOAD = "_native/payloads/lab"
_EXTENSION = (
    b'"""The scripted engine of edgeops lab in the place of the compiled module."""\n\n'
    b"from tensorrt_edgellm_lab.native import *\n"
)
_SUMMARY = "STAND-IN of edgeops lab: the vendor's Python around a scripted engine, no GPU code"


@dataclass(frozen=True)
class StandIn:
    """``scripts`` maps a console script to a function of the entry module; ``extra`` is how this version calls
    ``[server]``.
    """

    version: str
    scripts: dict[str, str]
    extra: str = "server"

    @property
    def local_version(self) -> str:
        return f"{self.version}+lab"

    @property
    def file_name(self) -> str:
        return f"tensorrt_edgellm-{self.local_version}-py3-none-any.whl"


STAND_INS = (
    StandIn("0.11.0", {"tensorrt-edgellm-serve": "serve"}),
    StandIn("0.11.1", {"trtedge": "command"}),
    StandIn("0.12.0", {"edgellm": "command"}, extra="runtime"),
)


@dataclass(frozen=True)
class _Target:
    variant: str
    source: str
    values: tuple[str, ...]
    sm: int


_TARGETS = (
    _Target("dgx-spark-cu13-sm121", "device-model", ("DGX Spark", "GB10"), 121),
    _Target("jetson-thor-jp72-cu13-sm110", "l4t", ("R39.2",), 110),
    _Target("jetson-orin-jp72-cu13-sm87", "l4t", ("R39.2",), 87),
)


def build_wheel(vendor: Path, plugin: bytes, stand_in: StandIn, directory: Path) -> Path:
    """Write the wheel into ``directory``. ``vendor`` is the vendor's wheel, ``plugin`` a shared object that can be
    loaded.
    """
    target = directory / stand_in.file_name
    info = f"tensorrt_edgellm-{stand_in.local_version}.dist-info"
    with zipfile.ZipFile(vendor) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as wheel:
        lines = []
        for name, content in _files(source, plugin, stand_in, info):
            wheel.writestr(name, content)
            lines.append(f"{name},sha256={_record_digest(content)},{len(content)}\n")
        wheel.writestr(f"{info}/RECORD", "".join([*lines, f"{info}/RECORD,,\n"]))
    return target


def ingredients() -> tuple[str, ...]:
    """Everything of ours that is in a wheel."""
    return (repr(STAND_INS), Path(__file__).read_text(), *(path.read_text() for path in sorted(_SCRIPTED.glob("*.py"))))


def _files(source: zipfile.ZipFile, plugin: bytes, stand_in: StandIn, info: str) -> Iterator[tuple[str, bytes]]:
    for name in source.namelist():
        if name.endswith("/") or "/_native/payloads/" in name:
            continue
        place = re.sub(r"^[^/]+\.dist-info", info, name)
        if not place.endswith(
            ("/RECORD", "/WHEEL", "/METADATA", "/entry_points.txt", "/variants.json", "/_version.py")
        ):
            yield place, source.read(name)
    yield f"{info}/WHEEL", b"Wheel-Version: 1.0\nGenerator: edgeops lab\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    yield f"{info}/METADATA", _metadata(_vendor_file(source, ".dist-info/METADATA"), stand_in).encode()
    yield f"{info}/entry_points.txt", _entry_points(stand_in).encode()
    version = _vendor_file(source, "tensorrt_edgellm/_version.py")
    yield "tensorrt_edgellm/_version.py", version.replace(VENDOR_VERSION, stand_in.local_version).encode()
    yield "tensorrt_edgellm/_native/variants.json", _manifest(plugin).encode()
    yield f"tensorrt_edgellm/{_PAYLOAD}/runtime.py", _EXTENSION
    yield f"tensorrt_edgellm/{_PAYLOAD}/libNvInfer_edgellm_plugin.so", plugin
    for path in sorted(_SCRIPTED.glob("*.py")):
        yield f"{_PACKAGE}/{path.name}", path.read_bytes()


def _vendor_file(source: zipfile.ZipFile, end: str) -> str:
    return source.read(next(name for name in source.namelist() if name.endswith(end))).decode()


def _metadata(vendor: str, stand_in: StandIn) -> str:
    head = vendor.partition("\n\n")[0]
    head = re.sub(r"(?m)^Version: .*", f"Version: {stand_in.local_version}", head)
    head = re.sub(r"(?m)^Summary: .*", f"Summary: {_SUMMARY}", head)
    head = re.sub(r"(?m)^Provides-Extra: server$", f"Provides-Extra: {stand_in.extra}", head)
    head = head.replace('extra == "server"', f'extra == "{stand_in.extra}"')
    return f"{head}\n\n{_SUMMARY}. Made on this machine from the vendor's {VENDOR_VERSION}; not for real hosts.\n"


def _entry_points(stand_in: StandIn) -> str:
    lines = [f"{script} = {_PACKAGE}.entry:{function}" for script, function in stand_in.scripts.items()]
    return "\n".join(["[console_scripts]", *lines]) + "\n"


def _manifest(plugin: bytes) -> str:
    rows = [
        _row(target, abi, machine, plugin)
        for target in _TARGETS
        for abi in ("cp310", "cp311", "cp312")
        for machine in ("x86_64", "aarch64")
    ]
    return json.dumps({"schema_version": 1, "package_version": VENDOR_VERSION, "variants": rows}, indent=1)


def _row(target: _Target, abi: str, machine: str, plugin: bytes) -> dict[str, object]:
    return {
        "variant_id": target.variant,
        "python_abi": abi,
        "platform_family": target.variant.split("-cu13")[0],
        "platform_release": "lab",
        "platform_probe_source": target.source,
        "platform_probe_values": list(target.values),
        "cpu_arch": machine,
        "cuda_runtime_soname": "libcudart.so.13",
        "tensorrt_runtime_soname": "libnvinfer.so.10",
        "gpu_sm": target.sm,
        "extension": f"{_PAYLOAD}/runtime.py",
        "extension_sha256": hashlib.sha256(_EXTENSION).hexdigest(),
        "plugin": f"{_PAYLOAD}/libNvInfer_edgellm_plugin.so",
        "plugin_sha256": hashlib.sha256(plugin).hexdigest(),
        "source_revision": "0" * 40,
        "cutedsl_metadata_sha256": "0" * 64,
    }


def _record_digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
