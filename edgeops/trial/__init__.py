"""Serving something else than production for a while, on a host that serves: measured, and always put back.

Production's unit and files are not edited. A drop-in in /run overrides the command line, so a reboot alone restores
production; a timer on the host does so too when this machine is not heard of any more (deploys/on_host/trial.py).
"""

from __future__ import annotations

from edgeops.trial.attempt import Trial, TrialLost
from edgeops.trial.candidate import Candidate, candidate
from edgeops.trial.guard import TRIAL_GRACE_S, guarded, put_back_after
from edgeops.trial.production import Production, look_at_production

__all__ = [
    "TRIAL_GRACE_S",
    "Candidate",
    "Production",
    "Trial",
    "TrialLost",
    "candidate",
    "guarded",
    "look_at_production",
    "put_back_after",
]
