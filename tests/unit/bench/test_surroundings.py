"""Guards on the machine: each fails when what it guards against was seen while a timed request ran, and only then."""

from __future__ import annotations

from typing import Any

import pytest

from edgeops.bench import guards, statistics, surroundings
from edgeops.bench.comparison import Comparison, arm_records
from edgeops.bench.records import Conditions, GpuUser, Request, Sample
from edgeops.bench.verdict import judge
from tests.unit.bench.arms import benchmark, records_of

SECOND = 1_000_000_000
OURS = GpuUser(pid=7, name="server", ours=True)
BEFORE = Conditions(when="before", power_mode="MAXN", gpu_users=(OURS,), cores=20)
AFTER = BEFORE.model_copy(update={"when": "after"})


def placed(request: Request, place: int) -> Request:
    """The request at its own place in time: one every ten seconds, each two seconds long."""
    return request.model_copy(update={"sent_ns": 10 * SECOND * (place + 1), "wall_ns": 2 * SECOND})


REQUESTS = tuple(placed(request, place) for place, request in enumerate(benchmark()))


def samples(**changes: Any) -> list[Sample]:
    """Five a second, from before the first request to after the last; no change over time but those of the clocks."""
    found = []
    for tick in range(5 * 10 * (len(REQUESTS) + 2)):
        t = tick * SECOND // 5
        seen = {
            "sm_mhz": 2400.0,
            "reasons": 1,
            "mem_available_kib": 30 * 1024**2,
            "busy_s": t / 1e9,
            "server_s": t / 1e9,
        }
        found.append(Sample(t=t, **{**seen, **changes}))
    return found


def pair(taken: list[Sample], seen: tuple[Conditions, ...] = (BEFORE, AFTER), **header: Any) -> Comparison:
    records = records_of(REQUESTS, memory_floor_gib=4.0, **header)
    assert records.header is not None
    arms = (arm_records(records, "chat", "baseline"), arm_records(records, "chat", "k3"))
    return Comparison(records.header, *arms, tuple(taken), seen)


def during(arm: str, taken: list[Sample], **changes: Any) -> list[Sample]:
    """``taken``, changed while requests of ``arm`` ran."""
    of_arm = {sample.t for sample in pair(taken).samples_of(arm_records(records_of(REQUESTS), "chat", arm))}
    assert of_arm
    return [sample.model_copy(update=changes) if sample.t in of_arm else sample for sample in taken]


GUARDS = {
    "throttling": surroundings.throttling,
    "clocks": surroundings.clocks,
    "power_mode": surroundings.power_mode,
    "memory": surroundings.memory,
    "gpu_users": surroundings.gpu_users,
    "load": surroundings.load,
}


def failing(found: Comparison) -> list[str]:
    return [name for name, guard in GUARDS.items() if guard(found).ok is False]


def test_a_quiet_machine_passes_all() -> None:
    assert [guard(pair(samples())).ok for guard in GUARDS.values()] == [True] * 6


def test_a_machine_that_was_not_watched_is_none_of_their_business() -> None:
    assert [guard(pair([], ())).ok for guard in GUARDS.values()] == [None] * 6


@pytest.mark.parametrize(("bit", "word"), [(0x4, "power cap"), (0x20, "heat"), (0x48, "hardware"), (0x80, "brake")])
def test_throttling_in_either_arm_is_named(bit: int, word: str) -> None:
    found = pair(during("baseline", samples(), reasons=bit))
    assert failing(found) == ["throttling"]
    assert word in surroundings.throttling(found).detail


@pytest.mark.parametrize("reasons", [0x1, 0x2, 0x10, 0x100])
def test_what_lowers_a_clock_without_harm_is_no_throttling(reasons: int) -> None:
    assert failing(pair(samples(reasons=reasons))) == []


def test_what_happens_between_requests_does_not_count() -> None:
    outside = [
        s.model_copy(update={"reasons": 0x20, "sm_mhz": 300.0}) for s in samples() if s.t % (10 * SECOND) > 2 * SECOND
    ]
    inside = [s for s in samples() if s.t % (10 * SECOND) <= 2 * SECOND]
    assert failing(pair(sorted(outside + inside, key=lambda sample: sample.t))) == []


@pytest.mark.parametrize(("mhz", "fails"), [(2340.0, False), (2320.0, True), (2480.0, True)])
def test_the_clock_is_the_same_in_both_arms_within_three_percent(mhz: float, fails: bool) -> None:
    assert failing(pair(during("k3", samples(), sm_mhz=mhz))) == (["clocks"] if fails else [])


def test_a_gpu_that_tells_no_clock_is_passed_over_and_a_silent_tool_is_not() -> None:
    untold = samples(sm_mhz=None, reasons=None)
    assert failing(pair(untold)) == []
    silent = tuple(one.model_copy(update={"gpu_users": None, "power_mode": None}) for one in (BEFORE, AFTER))
    assert failing(pair(untold, silent)) == ["throttling", "clocks", "gpu_users"]


def test_a_jetson_whose_nvidia_smi_says_nothing_is_passed_over() -> None:
    orin = tuple(one.model_copy(update={"gpu_users": None}) for one in (BEFORE, AFTER))
    assert failing(pair(samples(reasons=None), orin)) == []
    assert surroundings.gpu_users(pair(samples(), orin)).ok is None


def test_samples_that_never_came_fail_what_rests_on_them() -> None:
    assert failing(pair([])) == ["throttling", "clocks", "memory", "load"]


def test_another_power_mode_afterwards_fails() -> None:
    changed = AFTER.model_copy(update={"power_mode": "30W"})
    assert failing(pair(samples(), (BEFORE, changed))) == ["power_mode"]
    assert failing(pair(samples(), (BEFORE,))) == ["power_mode"]


def test_a_machine_without_power_modes_is_passed_over() -> None:
    bare = tuple(one.model_copy(update={"power_mode": None}) for one in (BEFORE, AFTER))
    assert surroundings.power_mode(pair(samples(), bare)).ok is None


def test_memory_below_the_floor_at_any_time_fails() -> None:
    taken = samples()
    taken[3] = taken[3].model_copy(update={"mem_available_kib": 4 * 1024**2 - 1})
    assert failing(pair(taken)) == ["memory"]


def test_another_user_of_the_gpu_is_named() -> None:
    other = AFTER.model_copy(update={"gpu_users": (OURS, GpuUser(pid=9, name="trainer"))})
    found = pair(samples(), (BEFORE, other))
    assert failing(found) == ["gpu_users"]
    assert "trainer (9)" in surroundings.gpu_users(found).detail


@pytest.mark.parametrize(("cores", "fails"), [(20, False), (2, True)])
def test_other_programs_on_half_of_the_cores_fail(cores: int, fails: bool) -> None:
    """1.2 cores' worth beside the server."""
    taken = [sample.model_copy(update={"busy_s": 2.2 * sample.t / 1e9}) for sample in samples()]
    seen = tuple(one.model_copy(update={"cores": cores}) for one in (BEFORE, AFTER))
    assert failing(pair(taken, seen)) == (["load"] if fails else [])


def test_a_server_that_was_started_anew_is_no_foreign_load() -> None:
    half = len(samples()) // 2
    lost = [80 if place > half else 0 for place in range(len(samples()))]
    taken = [
        sample.model_copy(update={"server_s": max(0.0, sample.t / 1e9 - less)})
        for sample, less in zip(samples(), lost, strict=True)
    ]
    assert failing(pair(taken)) == []


def test_a_simulated_host_has_no_load_of_its_own() -> None:
    assert surroundings.load(pair(samples(), simulated=True)).ok is None


def test_a_throttled_machine_has_no_verdict() -> None:
    found = pair(during("k3", samples(), reasons=0x20))
    judged = judge(statistics.speedup(found.rates()), guards.evaluate(found))
    assert judged.word == "inconclusive"
    assert "throttled" in judged.reason
