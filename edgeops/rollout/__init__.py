"""``edgeops deploy`` over a fleet: canary, waves, gates; stopped at the first bad sign, and resumed where it was."""

from __future__ import annotations

from edgeops.rollout.beginning import begin, take_up
from edgeops.rollout.rules import Rollout, Rules
from edgeops.rollout.running import proceed

__all__ = ["Rollout", "Rules", "begin", "proceed", "take_up"]
