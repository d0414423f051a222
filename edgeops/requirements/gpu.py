"""Requirements on GPU, driver, and the native payload that the wheel will select."""

from __future__ import annotations

from edgeops.requirements.case import Case
from edgeops.requirements.payload import prediction
from edgeops.requirements.verdict import Finding, failed, passed, skipped, warned

_BROKEN = (
    ("version mismatch", "the module that is loaded and the library are of different versions", "sudo reboot"),
    ("No devices were found", "nvidia-smi finds no device", "sudo dmesg | grep -iE 'nvrm|xid' | tail -20"),
    ("couldn't communicate", "nvidia-smi cannot talk to the driver", "sudo dmesg | grep -iE 'nvrm|xid' | tail -20"),
)
"""What nvidia-smi says, what that means, and what to do. Source: https://forums.developer.nvidia.com/t/378200."""


def driver(case: Case) -> Finding:
    branch = case.needs.driver_branch if case.needs else None
    wanted = f"a driver {branch}.*, its module and its library alike" if branch else "module and library alike"
    if case.missing_command("nvidia_smi"):
        return failed("no nvidia-smi", wanted, "install the vendor's image: edgeops never touches the driver")
    answer = case.snapshot.answer("nvidia_smi")
    for words, meaning, remedy in _BROKEN:
        if words in answer.out or words in answer.err:
            module = case.facts.driver_module
            return failed(f"{meaning} (module: {module})" if module else meaning, wanted, remedy)
    version = next((gpu.driver for gpu in case.facts.gpus or () if gpu.driver), None)
    if version is None:
        return skipped(case.unread("nvidia_smi"), wanted)
    return _versions(case, version, wanted)


def _versions(case: Case, version: str, wanted: str) -> Finding:
    module, branch = case.facts.driver_module, case.needs.driver_branch if case.needs else None
    if module is not None and module != version:
        return failed(f"module {module}, library {version}", wanted, "sudo reboot")
    if branch and not version.startswith(f"{branch}."):
        return warned(version, wanted, "go back to the driver of DGX OS; edgeops never touches it")
    return passed(version, wanted)


def capability(case: Case) -> Finding:
    wanted = f"compute capability {case.needs.sm}" if case.needs else "a known platform"
    found = {gpu.capability for gpu in case.facts.gpus or ()} - {None}
    if not found or case.needs is None:
        return skipped(case.unread("nvidia_smi"), wanted)
    if found != {case.needs.sm}:
        return failed(
            ", ".join(sorted(map(str, found))), wanted, "hide the other GPU from the service, or choose another host"
        )
    return passed(case.needs.sm, wanted)


def payload(case: Case) -> Finding:
    predicted = prediction(case)
    wanted = f"a native payload of {case.release.requirement}"
    if predicted.payload:
        return passed(predicted.payload.id, wanted)
    if predicted.unknown:
        return skipped(predicted.reason, wanted, predicted.remedy)
    return failed(predicted.reason, wanted, predicted.remedy)
