"""Requirements on the machine and its operating system."""

from __future__ import annotations

from datetime import datetime, timezone

from edgeops.requirements.case import Case
from edgeops.requirements.verdict import PREPARE, Finding, failed, passed, skipped, warned

NODE = "NVIDIA DGX Spark or OEM GB10, Jetson AGX Thor or Jetson Orin"
FIRST_YEAR = 2026


def platform(case: Case) -> Finding:
    here = case.platform
    if here.name == "unknown":
        return _unknown_platform(case)
    found = f"{here.name} ({here.sureness}: {here.facts})"
    if case.jetson:
        return _jetson(case, found)
    if here.sureness == "a guess":
        return warned(found, NODE, "check on the host: nvidia-smi -L; lspci -n -d 10de:")
    return passed(found, NODE)


def _unknown_platform(case: Case) -> Finding:
    if case.platform.against:
        said = "; ".join(f"{item.fact} says {item.platform}" for item in case.platform.against)
        return failed(
            f"facts that contradict one another: {said}", NODE, "see which of these files does not belong here"
        )
    name = case.facts.device_model or case.facts.product_name
    found = f"no sign of a known platform (model: {name or 'not readable'})"
    return failed(found, NODE, "choose another host: the wheels of TensorRT Edge-LLM run on these platforms only")


def _jetson(case: Case, found: str) -> Finding:
    known = case.needs.l4t if case.needs else ()
    wanted = f"L4T {', '.join(known)}"
    l4t = case.facts.l4t
    if l4t is None and not case.answered("nv_tegra_release"):
        return skipped(f"{found}; L4T {case.unread('nv_tegra_release')}", wanted)
    if l4t is None:
        remedy = "check on the host: cat /etc/nv_tegra_release"
        return failed(f"{found}, without a readable /etc/nv_tegra_release", wanted, remedy)
    if l4t.release not in known:
        remedy = "install a JetPack 7 that has this L4T: https://developer.nvidia.com/embedded/jetpack"
        return failed(
            f"{found}, L4T {l4t.full}", wanted, remedy, "The wheel has a payload for these L4T releases only."
        )
    return passed(f"{found}, L4T {l4t.full}", wanted)


def operating_system(case: Case) -> Finding:
    wanted = f"Ubuntu {case.release.ubuntu}"
    here = case.facts.os
    if here is None:
        return skipped(case.unread("os_release"), wanted)
    found = here.name or f"{here.id} {here.version}"
    if here.id != "ubuntu" or here.version != case.release.ubuntu:
        return failed(found, wanted, "install the vendor's image for this machine that is built on " + wanted)
    return _dgx_os(case, found) if case.spark else passed(found, wanted)


def _dgx_os(case: Case, found: str) -> Finding:
    tested = case.release.dgx_os
    wanted = f"Ubuntu {case.release.ubuntu}, DGX OS {tested}"
    version = case.facts.dgx.version if case.facts.dgx else None
    if version == tested:
        return passed(f"{found}, DGX OS {version}", wanted)
    remedy = "update in DGX Dashboard when it suits; edgeops never does"
    return warned(f"{found}, DGX OS {version or 'not known'}", wanted, remedy)


def architecture(case: Case) -> Finding:
    machine = case.facts.kernel.machine if case.facts.kernel else None
    if machine is None:
        return skipped(case.unread("uname"), case.release.arch)
    if machine not in (case.release.arch, "arm64"):
        return failed(machine, case.release.arch, "choose another host: the wheel holds code for this processor only")
    return passed(machine, case.release.arch)


def glibc(case: Case) -> Finding:
    wanted = f"{case.release.glibc} or newer"
    found = case.facts.glibc
    if found is None:
        return skipped(case.unread("glibc"), wanted)
    if _numbers(found) < _numbers(case.release.glibc):
        return failed(found, wanted, f"install the vendor's image that is built on Ubuntu {case.release.ubuntu}")
    return passed(found, wanted)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def python(case: Case) -> Finding:
    wanted = f"/usr/bin/python3 of {', '.join(case.release.pythons)} with venv and ensurepip"
    here = case.facts.python
    if case.missing_command("python"):
        return failed("no /usr/bin/python3", wanted, "sudo apt-get install -y python3 python3-venv")
    if here is None or here.minor is None:
        return skipped(case.unread("python"), wanted)
    if here.minor not in case.release.pythons:
        return failed(
            here.version or "", wanted, f"install the vendor's image that is built on Ubuntu {case.release.ubuntu}"
        )
    missing = [name for name, there in (("venv", here.venv), ("ensurepip", here.ensurepip)) if there is False]
    if missing:
        remedy = (
            f"none needed, deploy installs it; or: {PREPARE}   # or on the host: sudo apt-get install -y python3-venv"
        )
        return warned(f"{here.version} without {' and '.join(missing)}", wanted, remedy)
    return passed(here.version or "", wanted)


def sudo(case: Case) -> Finding:
    wanted = "root without a password, or with one that was given"
    allowed = case.facts.sudo
    if allowed is None:
        return skipped(case.unread("sudo"), wanted)
    return passed("root is at hand", wanted) if allowed else _no_sudo(case, wanted)


def _no_sudo(case: Case, wanted: str) -> Finding:
    said = case.snapshot.answer("sudo").err.strip() or case.snapshot.answer("sudo").out.strip()
    if case.missing_command("sudo"):
        return failed("no sudo on the host", wanted, "log in as root, or as root: apt-get install -y sudo")
    if "not in the sudoers" in said or "may not run" in said or "not allowed" in said:
        return failed("this user may not use sudo", wanted, 'as root on the host: usermod -aG sudo "$LOGIN"')
    if "incorrect password" in said or "try again" in said:
        return failed(
            "sudo refused the password that was given", wanted, "run again with --ask-sudo and the right password"
        )
    return failed("sudo asks for a password", wanted, "run again with --ask-sudo")


def clock(case: Case) -> Finding:
    wanted = f"the year {FIRST_YEAR} or later, synchronized"
    here = case.facts.clock
    if here is None or here.seconds is None:
        return skipped(case.unread("clock"), wanted)
    now = _moment(here.seconds)
    if now is None or now.year < FIRST_YEAR:
        remedy = "sudo timedatectl set-ntp true"
        return failed(f"{now:%Y-%m-%d %H:%M} UTC" if now else "a time out of range", wanted, remedy)
    if not here.synchronized:
        return warned(f"{now:%Y-%m-%d %H:%M} UTC, not synchronized", wanted, "sudo timedatectl set-ntp true")
    return passed(f"{now:%Y-%m-%d %H:%M} UTC, synchronized", wanted)


def _moment(seconds: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, timezone.utc)
    except (OverflowError, ValueError, OSError):
        return None
