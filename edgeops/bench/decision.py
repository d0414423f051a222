"""What can be measured on a server, decided from what it said of itself and from what was asked for."""

from __future__ import annotations

import json
from dataclasses import dataclass

from edgeops.bench.records import Negotiated, Survey
from edgeops.errors import ConfigurationError

BASELINE = "baseline"
SWITCH = "disable_spec_decode"
"""The request field that turns drafting off: the baseline on the same server, without a restart."""

ASSUMED_K = 3


@dataclass(frozen=True)
class Asked:
    """What the caller wants. ``k`` and ``method`` as given on the command line, None when they were not.

    ``set_method`` and ``set_k`` are the host's settings; None for a server of which only the URL is known.
    """

    name: str
    k: tuple[int, ...] | None = None
    method: str | None = None
    set_method: str | None = None
    set_k: int | None = None


@dataclass(frozen=True)
class Decision:
    """The arms to measure. ``method`` is what the server said, None when it says nothing of speculation."""

    arms: tuple[str, ...]
    k: int
    method: str | None
    method_wanted: str | None
    baseline_kind: str | None
    one_arm_because: str = ""


def decide(survey: Survey, negotiated: Negotiated, asked: Asked) -> Decision:
    """Which arms to measure. Raises ConfigurationError when that needs another server setting than the running one."""
    method = method_said(survey)
    k = running_k(survey, asked)
    _refuse_another(asked, method, k)
    because = _one_arm_because(survey, negotiated, asked, k)
    speculative = f"k{k}"
    if not because:
        arms: tuple[str, ...] = (BASELINE, speculative)
    elif k and method and SWITCH in negotiated.refused:
        arms = (speculative,)
    else:
        arms = (BASELINE,)
    wanted = asked.method or asked.set_method
    return Decision(arms, k, method, None if wanted == "off" else wanted, _baseline_kind(arms, method, k), because)


def method_said(survey: Survey) -> str | None:
    """The method that /health states: ``none`` without speculation, None when it does not say."""
    capabilities = (survey.health or {}).get("capabilities")
    if not isinstance(capabilities, dict):
        return None
    method = capabilities.get("speculative_method")
    if capabilities.get("speculative_decoding") is False:
        return "none"
    return method if isinstance(method, str) else None


def running_k(survey: Survey, asked: Asked) -> int:
    """Candidates a step, 0 without speculation: from the server's command line, else the settings, else as asked."""
    if method_said(survey) == "none":
        return 0
    told = _k_of_flags(survey.flags)
    if told is not None:
        return told
    if asked.set_method == "off":
        return 0
    return asked.set_k or max(asked.k or (0,)) or ASSUMED_K


def _k_of_flags(flags: dict[str, str] | None) -> int | None:
    try:
        config = json.loads((flags or {}).get("speculative-config", ""))
        k = config["num_speculative_tokens"]
    except (ValueError, TypeError, KeyError):
        return None
    return k if isinstance(k, int) and 1 <= k <= 64 else None


def _refuse_another(asked: Asked, method: str | None, k: int) -> None:
    runs = f"k={k}" if k else "without speculation (k=0)"
    for wanted in asked.k or ():
        if wanted not in (0, k):
            raise ConfigurationError(
                f"{asked.name} runs {runs}: to measure k={wanted} its server has to be started anew, "
                "and smoke measures what runs",
                f"Set `k: {wanted}` in the inventory and deploy, or leave --k out to measure what runs.",
            )
    if asked.method and method and asked.method != method and not (asked.method == "off" and method == "none"):
        raise ConfigurationError(
            f"{asked.name} runs the method {method!r}: to measure {asked.method!r} its server has to be started anew",
            f"Set `method: {asked.method}` in the inventory and deploy, or leave --method out.",
        )


def _one_arm_because(survey: Survey, negotiated: Negotiated, asked: Asked, k: int) -> str:
    if not k and asked.set_method not in (None, "off"):
        return f"one arm only: the server decodes without speculation, although its settings say {asked.set_method}"
    if not k:
        return "one arm only: the server decodes without speculation, so there is nothing to compare"
    if asked.k is not None and not any(asked.k):
        return "one arm only: nothing but the baseline was asked for"
    if SWITCH in negotiated.refused:
        return f"one arm only: the server refuses {SWITCH}, so its plain speed cannot be measured while it runs"
    if method_said(survey) is None and not negotiated.strict:
        return (
            "one arm only: the server does not say whether it decodes speculatively, and it ignores fields "
            f"that it does not know, so {SWITCH} would prove nothing"
        )
    return ""


def _baseline_kind(arms: tuple[str, ...], method: str | None, k: int) -> str | None:
    if len(arms) > 1 or (arms == (BASELINE,) and k and method):
        return "drafting_off"
    return "vanilla_engine" if method == "none" else None
