"""What a host must have before anything on it is changed. Pure: a snapshot and settings in, verdicts out.

A new requirement is one function ``Case -> Finding`` and one line in ``REQUIREMENTS``.
"""

from __future__ import annotations

from difflib import get_close_matches

from edgeops.errors import ConfigurationError
from edgeops.requirements.case import Case
from edgeops.requirements.platforms import Platform, platform_of
from edgeops.requirements.register import IDS, REQUIREMENTS, Requirement
from edgeops.requirements.verdict import Finding, Status, Verdict
from edgeops.settings import Settings
from edgeops.snapshot import Snapshot

__all__ = [
    "IDS",
    "REQUIREMENTS",
    "Case",
    "Platform",
    "Requirement",
    "Status",
    "Verdict",
    "judge",
    "judge_case",
    "platform_of",
    "refuse_unknown_ids",
]


def judge(snapshot: Snapshot, settings: Settings) -> tuple[Verdict, ...]:
    """Every requirement that applies to the host, in the order of ``REQUIREMENTS``.

    Raises ConfigurationError for an ``edgellm_version`` that is not known; nothing else, whatever the snapshot holds.
    """
    return judge_case(Case(snapshot, settings))


def judge_case(case: Case) -> tuple[Verdict, ...]:
    """The same for a case that is at hand."""
    return tuple(_verdict(case, requirement) for requirement in REQUIREMENTS if requirement.applies(case))


def refuse_unknown_ids(settings: Settings) -> None:
    """Raise ConfigurationError for an id in ``accept`` that is no requirement: it would accept nothing, silently."""
    for identifier in settings.accept:
        if identifier not in IDS:
            near = get_close_matches(identifier, IDS, n=1)
            remedy = f"did you mean {near[0]}?" if near else f"the ids are: {', '.join(IDS)}"
            raise ConfigurationError(f"accept: there is no requirement {identifier!r}", remedy)


def _verdict(case: Case, requirement: Requirement) -> Verdict:
    finding = requirement.judge(case)
    if finding.status == "fail" and requirement.id in case.settings.accept:
        return _accepted(requirement, finding)
    why = finding.why or requirement.why
    return Verdict(requirement.id, finding.status, finding.found, finding.wanted, why, finding.remedy)


def _accepted(requirement: Requirement, finding: Finding) -> Verdict:
    why = f"{finding.why or requirement.why} A failure that this host's `accept` allows."
    return Verdict(requirement.id, "warn", f"{finding.found} (accepted)", finding.wanted, why, finding.remedy)
