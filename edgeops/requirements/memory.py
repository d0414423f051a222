"""Requirements on memory, which GPU and programs share on all these machines."""

from __future__ import annotations

from dataclasses import dataclass

from edgeops.models import draft_called, model_called
from edgeops.requirements.case import Case
from edgeops.requirements.verdict import Finding, failed, passed, skipped, warned
from edgeops.settings import Settings

GB, GIB = 1000**3, 1024**3

FREE_GB = 2.0
"""Memory the vendor asks for beside the model: its installation guide, "Memory"."""


def memory(case: Case) -> Finding:
    wanted = "all memory usable by the kernel"
    here = case.facts.memory
    if here is None or here.total is None or here.available is None:
        return skipped(case.unread("meminfo"), wanted)
    found = f"{here.total / GIB:.0f} GiB, {here.available / GIB:.0f} GiB available"
    if case.spark and _hidden(case):
        remedy = "sudo apt-get install -y nvidia-spark-grub-kho && sudo reboot"
        return warned(f"{found}; the kernel keeps about 9 GiB to itself (KHO)", wanted, remedy)
    return passed(found, wanted)


def _hidden(case: Case) -> bool:
    """Kernel 7.0.0-1019 with Kexec Handover: https://forums.developer.nvidia.com/t/383926."""
    here = case.facts.memory
    return bool(here and here.cma_total == 0 and here.cma_free) and "kho=off" not in (case.facts.cmdline or "").split()


def model_memory(case: Case) -> Finding:
    """MemAvailable (plus what our own running service holds) against model, draft, 2 GB and ``memory_reserve_gib``."""
    here, needed = case.facts.memory, _needed(case.settings)
    wanted = f"{needed.total / GIB:.0f} GiB available: {needed.parts}"
    if here is None or here.available is None:
        return skipped(case.unread("meminfo"), wanted)
    held = _held(case)
    free = min(here.available + (held or 0), here.total or here.available)
    found = f"{free / GIB:.0f} GiB available" + (" with what our own service holds" if _serving(case) else "")
    if free >= needed.total:
        return (
            passed(found, wanted)
            if needed.complete
            else skipped(f"the size of {case.settings.model} is not known", wanted)
        )
    if _serving(case) and held is None and (here.total or 0) >= needed.total:
        return passed(f"{found} (not measured, it is running)", wanted)
    return failed(found, wanted, "stop what else uses memory: ps -eo pid,user,rss,args --sort=-rss | head")


@dataclass(frozen=True)
class _Need:
    """Bytes, how they add up, and whether every part is known."""

    total: float
    parts: str
    complete: bool


def _needed(settings: Settings) -> _Need:
    sizes = [("model", model_called(settings.model).size_gb)]
    if settings.draft:
        sizes.append(("draft", draft_called(settings.draft).size_gb or 0))
    parts = [(name, size * GB) for name, size in sizes if size]
    parts += [("working memory", FREE_GB * GB), ("reserve", settings.memory_reserve_gib * GIB)]
    words = ", ".join(f"{name} {size / GIB:.1f}" for name, size in parts)
    return _Need(sum(size for _, size in parts), words, sizes[0][1] is not None)


def _serving(case: Case) -> bool:
    return bool(case.facts.own and case.facts.own.main_pid)


def _held(case: Case) -> int | None:
    """What our own running service holds on the GPU; 0 where none runs, None where the driver does not say."""
    if not _serving(case) or case.facts.own is None:
        return 0
    users = [user.memory for user in case.facts.gpu_users or () if user.pid == case.facts.own.main_pid]
    return users[0] if users else None
