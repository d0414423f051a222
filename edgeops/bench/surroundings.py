"""Guards on the machine around a measurement: clocks, heat, power mode, memory, and what else runs there.

They rest on samples that are taken beside the requests. Where the probe did not run on the server's host there are
none, and none of these guards applies.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from edgeops.bench.comparison import Comparison
from edgeops.bench.finding import Finding
from edgeops.bench.records import Conditions, Sample

CLOCK_TOLERANCE = 0.03
FOREIGN_CORES = 0.5
"""So many cores' worth of other programs, as a share of all cores, is a machine that does something else."""

THROTTLING = {
    0x04: "power cap",
    0x08: "hardware slowdown",
    0x20: "heat (software)",
    0x40: "heat (hardware)",
    0x80: "power brake",
}
"""Bits of NVML's clocks event reasons that lower the clock against the load's wish; idle, application clocks, sync
boost and display are the others (https://docs.nvidia.com/deploy/nvml-api/group__nvmlClocksEventReasons.html)."""

KIB_PER_GIB = 1024**2

NOT_SAMPLED = Finding(None, "the machine was not watched: the probe did not run on it")


def throttling(pair: Comparison) -> Finding:
    """No timed request ran while the GPU held its clock back."""
    told = [sample.reasons for sample in _timed(pair) if sample.reasons is not None]
    if not told:
        return _untold(pair, "why its clock is what it is")
    held = [reasons for reasons in told if reasons & sum(THROTTLING)]
    names = sorted({name for bit, name in THROTTLING.items() if any(reasons & bit for reasons in held)})
    if held:
        return Finding(False, f"the GPU was throttled in {len(held)} of {len(told)} samples: {', '.join(names)}")
    return Finding(True, f"no throttling in {len(told)} samples")


def clocks(pair: Comparison) -> Finding:
    """The median GPU clock is the same in both arms within 3 %."""
    found = [_clock(pair.samples_of(arm)) for arm in (pair.baseline, pair.arm)]
    before, after = found
    if before is None or after is None:
        return _untold(pair, "its clock")
    same = abs(after - before) <= CLOCK_TOLERANCE * before
    return Finding(same, f"median GPU clock {before:.0f} MHz in the baseline and {after:.0f} MHz in {pair.arm.name}")


def _clock(samples: Sequence[Sample]) -> float | None:
    told = [sample.sm_mhz for sample in samples if sample.sm_mhz is not None]
    return median(told) if told else None


def power_mode(pair: Comparison) -> Finding:
    """The power mode is the same before and after."""
    if not pair.conditions:
        return NOT_SAMPLED
    modes = [condition.power_mode for condition in pair.conditions]
    if not any(modes):
        return Finding(None, "this machine has no power modes")
    if len(modes) < 2 or len(set(modes)) > 1:
        return Finding(
            False, f"the power mode was {modes[0]} before and {modes[-1] if modes[1:] else 'not told'} after"
        )
    return Finding(True, f"power mode {modes[0]}, before and after")


def memory(pair: Comparison) -> Finding:
    """Available memory never fell below the floor; the probe stops when it does, before the machine freezes."""
    told = [sample.mem_available_kib for sample in pair.samples if sample.mem_available_kib is not None]
    floor = pair.header.memory_floor_gib
    if not pair.conditions or floor is None:
        return NOT_SAMPLED
    if not told:
        return Finding(False, "the available memory was never seen")
    least = min(told) / KIB_PER_GIB
    return Finding(least >= floor, f"at least {least:.1f} GiB of memory were available; the floor is {floor:g} GiB")


def gpu_users(pair: Comparison) -> Finding:
    """Nobody but the server used the GPU, before or after."""
    if not pair.conditions:
        return NOT_SAMPLED
    told = [condition.gpu_users for condition in pair.conditions if condition.gpu_users is not None]
    if not told and _is_jetson(pair):
        return Finding(None, "this Jetson's nvidia-smi does not tell who uses the GPU")
    if len(told) < len(pair.conditions):
        return Finding(False, "nvidia-smi did not say who uses the GPU")
    others = sorted({f"{user.name} ({user.pid})" for users in told for user in users if not user.ours})
    return Finding(not others, f"others use the GPU: {', '.join(others)}" if others else "nobody else used the GPU")


def load(pair: Comparison) -> Finding:
    """Other programs than the server kept less than half of the cores busy during the timed requests."""
    cores = _cores(pair.conditions)
    found = [_foreign_cores(pair.samples_of(arm)) for arm in (pair.baseline, pair.arm)]
    shares = [value / cores for value in found if value is not None] if cores else []
    if not pair.conditions:
        return NOT_SAMPLED
    if pair.header.simulated:
        return Finding(None, "a simulated host shares its processor with the machine that simulates it")
    if len(shares) < len(found):
        return Finding(False, "the load of the processor was not seen")
    busy = f"{max(shares):.0%} of the processor was busy with other programs; {FOREIGN_CORES:.0%} is the most allowed"
    return Finding(max(shares) <= FOREIGN_CORES, busy)


def _cores(conditions: Sequence[Conditions]) -> int:
    return next((condition.cores for condition in conditions if condition.cores), 0)


def _foreign_cores(samples: Sequence[Sample]) -> float | None:
    """Cores that other programs than the server kept busy, in the mean over ``samples``."""
    told = [(s.t / 1e9, s.busy_s, s.server_s) for s in samples if s.busy_s is not None and s.server_s is not None]
    steps = [(b[0] - a[0], b[1] - a[1], b[2] - a[2]) for a, b in pairwise(told)]
    steps = [step for step in steps if step[0] > 0 and step[2] >= 0]  # a server that was started anew begins at 0
    seconds = sum(step[0] for step in steps)
    return sum(max(0.0, busy - server) for _, busy, server in steps) / seconds if seconds else None


def _timed(pair: Comparison) -> list[Sample]:
    return [sample for arm in (pair.baseline, pair.arm) for sample in pair.samples_of(arm)]


def _is_jetson(pair: Comparison) -> bool:
    """Only Jetsons have power modes; the nvidia-smi of an Orin answers next to nothing."""
    return any(condition.power_mode for condition in pair.conditions)


def _untold(pair: Comparison, what: str) -> Finding:
    if not pair.conditions:
        return NOT_SAMPLED
    if not _timed(pair):
        return Finding(False, "no sample was taken while a timed request ran")
    silent = all(condition.gpu_users is None for condition in pair.conditions) and not _is_jetson(pair)
    return Finding(False, "nvidia-smi does not answer") if silent else Finding(None, f"this GPU does not tell {what}")
