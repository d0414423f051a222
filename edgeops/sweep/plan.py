"""Which launches a sweep takes, in which order: pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from edgeops.settings import Settings
from edgeops.smoke import Options

_UNSAID = "dspark"
"""The method that is tried where neither the caller nor the settings name one: the vendor's default for this model."""


@dataclass(frozen=True)
class Arm:
    """One launch. ``off`` with k = 0 is an engine of its own, without speculation."""

    method: str
    k: int
    label: str = ""

    @property
    def name(self) -> str:
        """Of its directory, and in the story: ``dspark-k5``, ``vanilla-before``."""
        return self.label or (f"{self.method}-k{self.k}" if self.k else "vanilla")


@dataclass(frozen=True)
class Plan:
    """What was asked for. ``ks`` or ``methods`` None: what the host's settings say. ``options`` for each measurement;
    ``purpose`` is the command's name, which others see while the host is locked.
    """

    ks: tuple[int, ...] | None = None
    methods: tuple[str, ...] | None = None
    vanilla: bool = False
    options: Options = field(default_factory=Options)
    purpose: str = "smoke"
    guarded: bool = False
    """Look at production first in any case, also where nothing else has to be served."""

    def methods_on(self, settings: Settings) -> tuple[str, ...]:
        return self.methods or ((settings.method,) if settings.speculative else (_UNSAID,))

    def needs_restarts(self, settings: Settings) -> bool:
        """Whether anything but what the settings say has to be served."""
        if self.vanilla or self.guarded:
            return True
        other_k = any(k not in (0, settings.k if settings.speculative else 0) for k in self.ks or ())
        return other_k or (self.methods is not None and self.methods != (settings.method,))

    def arms(self, settings: Settings) -> tuple[Arm, ...]:
        """The launches. What runs already comes first, without a restart; the vanilla engine before and after all."""
        found = [
            Arm(method, k)
            for method in self.methods_on(settings)
            if method != "off"
            for k in sorted(set(self.ks if self.ks is not None else (settings.k,)))
            if k
        ]
        running = Arm(settings.method, settings.k) if settings.speculative else None
        found.sort(key=lambda arm: arm != running)
        if not found:
            return (Arm("off", 0),)
        if not self.vanilla:
            return tuple(found)
        return (Arm("off", 0, "vanilla-before"), *found, Arm("off", 0, "vanilla-after"))

    def options_for(self, arm: Arm) -> Options:
        """How one launch is measured."""
        return replace(self.options, k=(arm.k,), method=arm.method)
