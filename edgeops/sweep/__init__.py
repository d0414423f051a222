"""Several ways to decode, measured on hosts that serve: a restart for each, production guarded and put back after."""

from __future__ import annotations

from edgeops.sweep.host import HostSweep
from edgeops.sweep.hosts import Course, Swept, on_hosts
from edgeops.sweep.plan import Arm, Plan

__all__ = ["Arm", "Course", "HostSweep", "Plan", "Swept", "on_hosts"]
