"""One host before the judge: what it said, what is wanted of it, and what follows for all requirements."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from edgeops.releases import JETPACKS, EdgellmRelease, JetPack, PlatformNeeds, edgellm_release
from edgeops.requirements.platforms import Platform, recognized
from edgeops.settings import Settings
from edgeops.snapshot import Snapshot
from edgeops.snapshot.facts import Facts, facts_of
from edgeops.snapshot.parsing.libraries import last_line

_TIME_LIMIT = (124, 137)


@dataclass(frozen=True)
class Case:
    """Snapshot and settings of a host, with the facts and the platform that follow from them."""

    snapshot: Snapshot
    settings: Settings

    @cached_property
    def facts(self) -> Facts:
        return facts_of(self.snapshot)

    @cached_property
    def platform(self) -> Platform:
        return recognized(self.facts)

    @cached_property
    def release(self) -> EdgellmRelease:
        return edgellm_release(self.settings.edgellm_version)

    @property
    def needs(self) -> PlatformNeeds | None:
        """What the release needs on this platform; None on an unknown one."""
        return self.release.platforms.get(self.platform.name)

    @property
    def spark(self) -> bool:
        return self.platform.name == "dgx-spark"

    @property
    def jetson(self) -> bool:
        return self.platform.name.startswith("jetson-")

    @property
    def jetpack(self) -> JetPack | None:
        """The JetPack this host's L4T belongs to; None if unknown, or no Jetson."""
        return JETPACKS.get(self.facts.l4t.release) if self.jetson and self.facts.l4t else None

    def missing_command(self, probe: str) -> bool:
        """Whether the host answered that there is no such command."""
        return probe in self.snapshot.probes and self.snapshot.answer(probe).rc == 127

    def answered(self, probe: str) -> bool:
        """Whether the probe ran to its end, whatever it said."""
        return probe in self.snapshot.probes and self.snapshot.answer(probe).rc not in _TIME_LIMIT

    def unread(self, probe: str) -> str:
        """Why the answer of ``probe`` is of no use, for a verdict that is skipped."""
        answer = self.snapshot.answer(probe)
        if probe not in self.snapshot.probes:
            return f"not known: the probe {probe} is missing from the answers"
        if answer.rc in _TIME_LIMIT:
            return f"not known: the probe {probe} was cut off by its time limit"
        said = last_line(answer.err) or last_line(answer.out) or "nothing"
        return f"not known: the probe {probe} ended with {answer.rc} and said: {said[:160]}"
