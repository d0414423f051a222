"""Requirements on how a machine is kept: groups, updates, power, and who else computes on it."""

from __future__ import annotations

from edgeops.requirements.case import Case
from edgeops.requirements.verdict import PREPARE, Finding, failed, passed, skipped, warned

GROUPS = ("video", "render")
"""The groups that own the GPU's device files on a Jetson; the unit names them on all platforms."""


def groups(case: Case) -> Finding:
    wanted = " and ".join(GROUPS)
    here = case.facts.groups
    if here is None:
        return skipped(case.unread("groups"), wanted)
    missing = [name for name in GROUPS if name not in here]
    if missing:
        by_hand = " && ".join(f"sudo groupadd --system {name}" for name in missing)
        remedy = f"{PREPARE}   # or on the host: {by_hand}"
        return failed(f"no group {' and no group '.join(missing)}", wanted, remedy)
    return passed(wanted)


def updates(case: Case) -> Finding:
    wanted = "no update under way, half done or waiting for a reboot"
    apt, torn = case.facts.apt, case.facts.torn
    troubles = list(_troubles(case))
    if troubles:
        return warned("; ".join(found for found, _ in troubles), wanted, troubles[0][1])
    if apt is None:
        return skipped(case.unread("apt_state"), wanted)
    if apt.lock is None or apt.reboot_required is None:
        return skipped("not known: the probe apt_state said only part of it", wanted)
    return passed("clear" if torn is None else "clear, over-the-air update complete", wanted)


def _troubles(case: Case) -> list[tuple[str, str]]:
    """Pairs of what is wrong and what to do, the gravest first."""
    apt, torn = case.facts.apt, case.facts.torn
    found = []
    if torn:
        found.append(
            (f"a half-applied over-the-air update (torn score {torn:g})", "sudo nvidia-spark-ota-check summary")
        )
    if apt and apt.audit:
        found.append((f"dpkg complains: {apt.audit[0][:120]}", "sudo dpkg --configure -a"))
    if apt and apt.lock:
        found.append(
            (f"dpkg is locked by process {apt.lock}", "wait until it has ended: pgrep -a 'apt|dpkg|unattended'")
        )
    if apt and apt.reboot_required:
        found.append(("a reboot is due", "sudo reboot"))
    return found


def power(case: Case) -> Finding:
    wanted = "MAXN"
    here = case.facts.power
    if here is None:
        return skipped(case.unread("nvpmodel"), wanted)
    if not here.name.upper().startswith("MAXN"):
        return warned(
            here.name,
            wanted,
            "look up the id of MAXN, then set it: grep POWER_MODEL /etc/nvpmodel.conf; sudo nvpmodel -m ID",
        )
    return passed(here.name, wanted)


def gpu_users(case: Case) -> Finding:
    wanted = "no other process"
    here = case.facts.gpu_users
    if here is None:
        return skipped(case.unread("gpu_users"), wanted)
    own = case.facts.own.main_pid if case.facts.own else None
    others = [user for user in here if user.pid != own]
    if others:
        found = ", ".join(f"{user.name} (pid {user.pid}{_mib(user.memory)})" for user in others[:4])
        return warned(found, wanted, "stop what is not needed; both share memory and time of the GPU")
    return passed("none" if own is None else "only our own service", wanted)


def _mib(memory: int | None) -> str:
    return "" if memory is None else f", {memory / 1024**3:.1f} GiB"
