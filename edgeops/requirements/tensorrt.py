"""Requirements on TensorRT: there, of the right version, of one piece, and kept so."""

from __future__ import annotations

from edgeops.quoting import shell
from edgeops.releases import TENSORRT_DOWNLOADS
from edgeops.requirements.case import Case
from edgeops.requirements.tensorrt_packages import (
    beside,
    contains,
    holdable,
    installed,
    loose_names,
    pins,
    specifier_of,
    wanted_version,
)
from edgeops.requirements.verdict import PREPARE, Finding, failed, passed, skipped, warned
from edgeops.snapshot.parsing.libraries import Package, last_line


def python(case: Case) -> Finding:
    wanted = "`import tensorrt` in /usr/bin/python3"
    if case.facts.tensorrt is not None:
        return passed(f"TensorRT {case.facts.tensorrt}", wanted)
    answer = case.snapshot.answer("tensorrt_python")
    if not case.answered("tensorrt_python") or answer.rc in (0, 127):
        return skipped(case.unread("tensorrt_python"), wanted)
    said = last_line(answer.err) or last_line(answer.out) or f"the import ended with {answer.rc}"
    return failed(said[:200], wanted, _install(case))


def version(case: Case) -> Finding:
    found, wanted = case.facts.tensorrt, wanted_version(case)
    if wanted is None:
        return skipped("the platform's TensorRT is not known")
    specifier, words = specifier_of(wanted), wanted.removeprefix("==")
    if specifier is None:
        return failed(
            f"the setting tensorrt_version: {wanted!r}", "a version or 10.*", "write it as 10.16.1.11 or 10.*"
        )
    if found is None:
        return skipped("no version before tensorrt.python is right", words)
    if not contains(specifier, found) and not words.startswith(f"{found}."):
        return _other(case, found, words)
    if case.jetson and case.jetpack is None and case.settings.tensorrt_version is None:
        return warned(
            found, words, "", "What this host's JetPack ships is not known to edgeops; any TensorRT 10 can do."
        )
    return passed(found, words)


def _other(case: Case, found: str, words: str) -> Finding:
    remedy = _install(case)
    if not found.startswith("10."):
        return failed(found, words, remedy, "The wheel loads libnvinfer.so.10; another major has no native payload.")
    if case.jetson and case.settings.tensorrt_version is None:
        return warned(found, words, remedy, "This is not what its JetPack ships; any TensorRT 10 can be selected.")
    return failed(found, words, remedy)


def _install(case: Case) -> str:
    """What brings the platform's own TensorRT, all packages at one version."""
    pinned = pins(case)
    if pinned:
        by_hand = f"sudo apt-get install -y --allow-downgrades {shell(*pinned.words)}"
        return f"{PREPARE}   # or on the host: {by_hand}   # where from: {TENSORRT_DOWNLOADS}"
    if case.jetson:
        return "sudo apt-get install -y nvidia-jetpack"
    return f"install TensorRT 10 with its Python bindings: {TENSORRT_DOWNLOADS}"


def consistent(case: Case) -> Finding:
    wanted = "all packages of TensorRT at one version"
    packages = case.facts.tensorrt_packages
    if packages is None:
        return skipped(case.unread("dpkg_tensorrt"), wanted)
    broken = [package.name for package in packages if package.broken]
    if broken:
        return failed(f"half installed: {', '.join(broken[:5])}", wanted, "sudo dpkg --configure -a")
    versions = sorted({package.version for package in installed(case)})
    if not versions:
        return skipped("TensorRT is not installed from packages here", wanted)
    if len(versions) > 1:
        return failed(_mixture(installed(case), versions), wanted, _install(case))
    return _same_as_python(case, versions[0], wanted)


def _same_as_python(case: Case, packaged: str, wanted: str) -> Finding:
    upstream, loaded = packaged.rpartition("-")[0] or packaged, case.facts.tensorrt
    if loaded is not None and not f"{upstream}.".startswith(f"{loaded}."):
        remedy = (
            "/usr/bin/python3 -c 'import tensorrt; print(tensorrt.__file__)'   # and take out what shadows the package"
        )
        return failed(f"packages {packaged}, Python loads {loaded}", wanted, remedy)
    unused = beside(case)
    if unused:
        remedy = f"none needed; to be rid of it: sudo apt-get remove {shell(*unused)}"
        return warned(f"{packaged}, and another major beside it that nothing here loads", wanted, remedy)
    return passed(packaged, wanted)


def _mixture(packages: list[Package], versions: list[str]) -> str:
    first = {version: next(p.name for p in packages if p.version == version) for version in versions}
    return ", ".join(f"{name} {version}" for version, name in first.items())


def held(case: Case) -> Finding:
    wanted = "all packages of TensorRT on hold"
    packages, names = case.facts.tensorrt_packages, case.facts.held
    if packages is None or names is None:
        return skipped(case.unread("dpkg_tensorrt" if packages is None else "apt_hold"), wanted)
    here = holdable(case)
    if not here:
        return skipped("TensorRT is not installed from packages here", wanted)
    loose = loose_names(case)
    if loose:
        first = version(case).status == "fail" or consistent(case).status == "fail"
        remedy = "put tensorrt.version and tensorrt.consistent right first" if first else _hold(loose)
        return warned(f"not on hold: {', '.join(loose[:12])}", wanted, remedy)
    return passed(f"{len(here)} packages on hold", wanted)


def _hold(names: tuple[str, ...]) -> str:
    return f"{PREPARE}   # or on the host: sudo apt-mark hold {shell(*names)}"
