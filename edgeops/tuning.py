"""A choice that was measured, kept on the host with what it rests on, so that it can be told when it is stale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from edgeops.desired import Declared
from edgeops.quoting import shell
from edgeops.snapshot.facts import Facts

SCHEMA = "edgeops.tuning/1"

NAMES = {
    "edgellm": "version of TensorRT Edge-LLM",
    "tensorrt": "version of TensorRT",
    "driver": "GPU driver",
    "kernel": "kernel",
    "model": "model's files",
    "draft": "draft's files",
    "flags": "server's flags",
    "method": "method",
    "k": "k",
}
"""What a measured choice rests on, in words. The host's entry in ``tuning.json`` has these keys in ``fingerprint``."""

_CHOSEN = ("method", "k")

Fingerprint = Mapping[str, str | None]
"""Each of ``NAMES`` as text; None where it is not known."""


@dataclass(frozen=True)
class Mismatch:
    """Something that is not as it was when the choice was made; the words of ``drift`` in ``edgeops status``."""

    what: str
    declared: str
    actual: str
    remedy: str


def fingerprint(facts: Facts, declared: Declared) -> dict[str, str | None]:
    """What a choice on this host rests on. ``declared`` is what serves, or is to serve."""
    settings, checkpoints = declared.settings, declared.checkpoints
    return {
        "edgellm": settings.edgellm_version,
        "tensorrt": declared.machine.tensorrt,
        "driver": facts.driver_module,
        "kernel": facts.kernel.release if facts.kernel else None,
        "model": checkpoints[0].fingerprint if checkpoints else None,
        "draft": checkpoints[1].fingerprint if len(checkpoints) > 1 else "",
        "flags": flags(declared.service.arguments) if declared.service else None,
        "method": settings.method,
        "k": str(settings.k) if settings.speculative else "0",
    }


def flags(arguments: Sequence[str]) -> str:
    """The server's words without its own path and without what ``method`` and ``k`` say."""
    words = list(arguments[1:])
    if "--speculative-config" in words:
        place = words.index("--speculative-config")
        del words[place : place + 2]
    return shell(*words)


def record(chosen: Mapping[str, Any], rests_on: Fingerprint) -> dict[str, Any]:
    """The content of ``tuning.json``. ``chosen``: run, at, by, method, k, reason."""
    return {"schema": SCHEMA, **chosen, "fingerprint": dict(rests_on)}


def mismatches(recorded: object, now: Fingerprint) -> list[Mismatch]:
    """What is not as it was when the choice was made; empty without a record, and where all agrees.

    ``recorded`` is the content of ``tuning.json``, whatever that is; what is not known now is passed over.
    """
    if recorded is None:
        return []
    before = recorded.get("fingerprint") if isinstance(recorded, Mapping) else None
    if not isinstance(before, Mapping) or recorded.get("schema") != SCHEMA:  # type: ignore[attr-defined]
        return [Mismatch("tuning", "a record of edgeops tune", "something that cannot be read", _AGAIN)]
    differing = [key for key in NAMES if now.get(key) is not None and before.get(key) not in (None, now[key])]
    return [_mismatch(key, str(before[key]), str(now[key])) for key in differing]


def _mismatch(key: str, before: str, now: str) -> Mismatch:
    if key in _CHOSEN:
        return Mismatch(f"tuning: {NAMES[key]}", before, now, f"`{key}: {before}` was measured to be best.")
    if key in ("model", "draft"):
        before, now = before[:12], now[:12]
    return Mismatch(f"tuning: {NAMES[key]}", before or "none", now or "none", _AGAIN)


_AGAIN = "Run `edgeops tune` again: the choice was measured on something else."
