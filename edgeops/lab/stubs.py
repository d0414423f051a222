"""Stub shared objects in the place of CUDA and TensorRT: they can be found and loaded, and do nothing."""

from __future__ import annotations

import tempfile
from pathlib import Path

from edgeops.lab.programs import run

CAPABILITY_FILE = "/etc/lab/capability"
"""On a host: the compute capability that the stub driver answers, ``12.1``."""

_CUDA_DRIVER = f"""
#include <stdio.h>
int cuInit(unsigned flags) {{ return 0; }}
int cuDeviceGetCount(int *count) {{ *count = 1; return 0; }}
int cuDriverGetVersion(int *version) {{ *version = 13000; return 0; }}
int cuDeviceGet(int *device, int ordinal) {{ *device = ordinal; return 0; }}
int cuDeviceGetAttribute(int *value, int attribute, int device) {{
    int major = 0, minor = 0;
    FILE *file = fopen("{CAPABILITY_FILE}", "r");
    if (!file) return 100;
    int read = fscanf(file, "%d.%d", &major, &minor);
    fclose(file);
    if (read != 2) return 100;
    *value = attribute == 75 ? major : attribute == 76 ? minor : 0;
    return 0;
}}
"""

_NVINFER = (
    "createInferBuilder_INTERNAL createInferRefitter_INTERNAL createInferRuntime_INTERNAL "
    "getBuilderPluginRegistry getPluginRegistry"
)
_PARSER = "createNvOnnxParser_INTERNAL createNvOnnxParserRefitter_INTERNAL getNvOnnxParserVersion"

_EXPORTS = {
    "libcudart.so.13": "cudaRuntimeGetVersion",
    "libcudart.so.12": "cudaRuntimeGetVersion",
    "libnvrtc.so.13": "nvrtcVersion",
    "libNvInfer_edgellm_plugin.so": "edgellmLabPlugin",
    **{f"libnvinfer.so.{major}": _NVINFER for major in (10, 11)},
    **{f"libnvinfer_plugin.so.{major}": "initLibNvInferPlugins" for major in (10, 11)},
    **{f"libnvonnxparser.so.{major}": _PARSER for major in (10, 11)},
}
"""Soname → the C functions that the real library's users look up."""


def sources() -> dict[str, str]:
    """C source by soname."""
    empty = {
        soname: "".join(f"int {name}(void) {{ return 0; }}\n" for name in names.split())
        for soname, names in _EXPORTS.items()
    }
    return {"libcuda.so.1": _CUDA_DRIVER, **empty}


def compile_stubs() -> dict[str, bytes]:
    """The shared objects by soname, made with gcc."""
    with tempfile.TemporaryDirectory() as scratch:
        return {soname: _compile(soname, source, Path(scratch)) for soname, source in sources().items()}


def _compile(soname: str, source: str, scratch: Path) -> bytes:
    code, library = scratch / f"{soname}.c", scratch / soname
    code.write_text(source)
    run("gcc", "-shared", "-fPIC", "-s", f"-Wl,-soname,{soname}", "-o", library, code)
    return library.read_bytes()
