"""Requirements on what shall be served: whether the model runs on this GPU, and whether the speculation can work."""

from __future__ import annotations

from edgeops.models import draft_called, model_called
from edgeops.requirements.case import Case
from edgeops.requirements.verdict import Finding, failed, passed, skipped

_LEAST = {"dflash": 2}
_BATCHING, _REUSE = "--enable-in-flight-batching", "--enable-context-reuse"


def precision(case: Case) -> Finding:
    """Orin has no FP8 and no FP4: https://nvidia.github.io/TensorRT-Edge-LLM/ (support matrix)."""
    needs, formats = case.needs, model_called(case.settings.model).precisions
    if needs is None:
        return skipped("the platform is not known")
    wanted = f"no {', no '.join(needs.unsupported)}" if needs.unsupported else "any number format"
    if not formats:
        return skipped(f"the number format of {case.settings.model} is not known", wanted)
    unsupported = [name for name in formats if name in needs.unsupported]
    if unsupported:
        remedy = "set `model:` to one in FP16, INT8 or INT4"
        return failed(f"{case.settings.model} in {', '.join(unsupported)}", wanted, remedy)
    return passed(", ".join(formats), wanted)


def speculation(case: Case) -> Finding:
    settings = case.settings
    if not settings.speculative:
        return passed("off: plain decoding")
    wanted = f"{settings.method}, k {settings.k}"
    conflict = _conflict(case)
    if conflict:
        return failed(f"{conflict} with {settings.method}", wanted, f"take {conflict} out of `extra_serve_args`")
    if settings.draft is None:
        return passed(f"{settings.method} needs no draft", wanted)
    return _block(case, wanted)


def _conflict(case: Case) -> str | None:
    given = case.settings.extra_serve_args
    if _BATCHING in given and not case.release.batching_with_speculation:
        return _BATCHING
    hybrid = model_called(case.settings.model).hybrid
    return _REUSE if _REUSE in given and hybrid else None


def _block(case: Case, wanted: str) -> Finding:
    settings = case.settings
    block, least = draft_called(settings.draft or "").block, _LEAST.get(settings.method, 1)
    if settings.k < least or (block is not None and settings.k > block):
        most = f" to {block}" if block else " or more"
        found = f"k {settings.k}, and {settings.draft} proposes {least}{most}"
        return failed(found, wanted, f"set `k:` within {least}{most}")
    if block is None:
        return skipped(f"how many tokens {settings.draft} proposes is not known before it is there", wanted)
    return passed(f"{settings.draft} proposes up to {block}", wanted)
