"""Requirements on CUDA. Driver ceiling, toolkit and runtime are three numbers; only the runtime is loaded."""

from __future__ import annotations

from edgeops.requirements.case import Case
from edgeops.requirements.verdict import Finding, failed, passed, skipped, warned


def runtime(case: Case) -> Finding:
    wanted = case.needs.cudart if case.needs else "libcudart.so.13"
    found = case.facts.cudart
    if found is None:
        return skipped(case.unread("find_cudart"), wanted)
    if found == wanted:
        return _libraries(case, found, wanted)
    if not found:
        return failed("no libcudart in the loader's cache", wanted, _install(case))
    if case.facts.loader and wanted in case.facts.loader.sonames:
        remedy = f"grep -r . /etc/ld.so.conf.d   # take out the directory of {found}, then: sudo ldconfig"
        return failed(f"{found} comes first, {wanted} after it", wanted, remedy)
    return failed(found, wanted, _install(case))


def _libraries(case: Case, found: str, wanted: str) -> Finding:
    """The Spark payload also loads NVRTC. Only a whole listing of the loader's cache can prove that it is missing."""
    nvrtc = "libnvrtc.so.13"
    cache = case.facts.loader
    needed = case.needs is not None and nvrtc in case.needs.libraries
    if needed and cache and cache.complete and nvrtc not in cache.sonames:
        return warned(f"{found}, but no {nvrtc}", f"{wanted} and {nvrtc}", "sudo apt-get install -y cuda-nvrtc-13-0")
    return passed(found, wanted)


def _install(case: Case) -> str:
    if case.spark and case.needs:
        return f"sudo apt-get install -y cuda-cudart-{case.needs.cuda_packages} && sudo ldconfig"
    if case.needs and case.facts.l4t and case.facts.l4t.release not in case.needs.l4t:
        return "see host.platform: a JetPack 7 brings it"
    if case.jetson and not case.facts.jetpack:
        return "sudo apt-get install -y nvidia-jetpack"
    if case.jetpack:
        return f"sudo apt-get install -y cuda-cudart-{case.jetpack.cuda.replace('.', '-')} && sudo ldconfig"
    return "install the CUDA 13 runtime of this platform, then: sudo ldconfig"


def toolkit(case: Case) -> Finding:
    wanted = "13.*"
    version = case.facts.cuda_toolkit
    if version is not None:
        return passed(version, wanted) if version.split(".")[0] == "13" else warned(version, wanted, _why_not(case))
    if case.answered("cuda_version_json") and case.answered("nvcc"):
        return warned("none in /usr/local/cuda", wanted, _why_not(case))
    return skipped(case.unread("cuda_version_json"), wanted)


def _why_not(case: Case) -> str:
    packages = case.needs.cuda_packages if case.needs else None
    install = (
        f"sudo apt-get install -y cuda-toolkit-{packages}" if packages else "sudo apt-get install -y nvidia-jetpack"
    )
    return f"none needed to serve; to have it: {install}"
