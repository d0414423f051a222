"""One server measured: survey it, decide what can be compared, run the probe, keep what it says, compute the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from edgeops.bench import procedure, record_lines, warmup, workload
from edgeops.bench.decision import Decision, decide
from edgeops.bench.procedure import Course, Sizes
from edgeops.bench.records import Header, Negotiated, Records, Survey
from edgeops.bench.result import host_result
from edgeops.bench.workload import Workload
from edgeops.errors import EdgeopsError
from edgeops.runs import Run
from edgeops.smoke.keeping import Keeper, Progress, Subject, Tell
from edgeops.snapshot import Answer

Probe = Callable[[dict[str, Any], Callable[[dict[str, Any]], None], float], Answer]
"""Runs the probe: its plan, who hears each record as it comes, seconds until it is cut off."""


@dataclass(frozen=True)
class Options:
    """What a caller may choose. ``workload``: names and files with commas between them; ``k`` and ``method`` None
    measure what runs. ``client``: the probe of a host runs on this machine, and reaches its server over SSH.
    """

    k: tuple[int, ...] | None = None
    method: str | None = None
    workload: str = "chat"
    sizes: Sizes = field(default_factory=Sizes)
    client: bool = False


def measure_subject(subject: Subject, probe: Probe, options: Options, run: Run, tell: Tell) -> dict[str, Any]:
    """The host's entry of ``edgeops.smoke/1``. Raises EdgeopsError, ConfigurationError where the options do not fit."""
    chosen = workload.open_workloads(options.workload)
    keeper = Keeper(run, subject, tell)
    _survey(subject, probe, options, keeper)
    found = keeper.records
    if found.survey is None or found.negotiated is None:
        raise EdgeopsError(f"{subject.asked.name}: the probe said nothing of the server", subject.remedy)
    decision = decide(found.survey, found.negotiated, subject.asked)
    header = _header(subject, keeper, decision).model_copy(update=_choices(options, chosen, found))
    keeper.keep(record_lines.write_line(header))
    _announce(header, found, tell)
    course = Course(
        model=header.model or "",
        arms=decision.arms,
        workloads=chosen,
        known=workload.known_answers(),
        refused=found.negotiated.refused,
        memory_floor_gib=subject.memory_floor_gib,
    )
    _run_course(course, subject, probe, options, keeper)
    for name, arm in warmup.unsettled(keeper.records):
        tell(f"{arm} in {name} never settled while warming up: its last two speeds differ by more than 3 %")
    return host_result(keeper.records)


def _survey(subject: Subject, probe: Probe, options: Options, keeper: Keeper) -> None:
    plan = procedure.survey_plan(subject.target, options.sizes, on_host=subject.on_host)
    answer = probe(plan, keeper.keep, plan["total_s"] + 10)
    _complain_of(answer, subject)
    found = keeper.records
    silent = found.survey is not None and not (found.survey.health_status or found.survey.models_status)
    if silent and found.negotiated is not None and not found.negotiated.status:
        where = subject.url or f"{subject.target.address}:{subject.target.port}"
        raise EdgeopsError(f"{subject.asked.name}: nothing answers at {where}", subject.remedy)


def _run_course(course: Course, subject: Subject, probe: Probe, options: Options, keeper: Keeper) -> None:
    negotiated = keeper.records.negotiated
    hangs = negotiated is not None and negotiated.ending == "deadline"
    sizes = replace(options.sizes, warmup=0) if hangs else options.sizes
    plan = procedure.measure_plan(subject.target, sizes, course)
    wanted = sum(1 for step in plan["steps"] if step["phase"] == "timed")
    progress = Progress(keeper, wanted)
    answer = probe(plan, progress.keep, plan["total_s"] + 10)
    _refuse_low_memory(subject, keeper)
    if not keeper.counts["timed"]:
        _complain_of(answer, subject)
        raise EdgeopsError(f"{subject.asked.name}: the probe ended before anything was measured", subject.remedy)
    if answer.rc or keeper.counts["timed"] < wanted:
        keeper.tell(f"the probe ended early, after {keeper.counts['timed']} of {wanted} requests")


def _refuse_low_memory(subject: Subject, keeper: Keeper) -> None:
    """What was measured before memory ran low is kept; nothing is one sentence with what to do."""
    if not any(end.because == "memory" for end in keeper.records.ends):
        return
    sentence = f"stopped: less than {subject.memory_floor_gib:g} GiB of memory were available, and a full host freezes"
    if keeper.counts["timed"]:
        keeper.tell(sentence)
        return
    remedy = (
        "Free memory, deploy a smaller max_kv_cache_capacity, or lower memory_reserve_gib, whose half is the floor."
    )
    raise EdgeopsError(f"{subject.asked.name}: {sentence}", remedy)


def _complain_of(answer: Answer, subject: Subject) -> None:
    if answer.rc:
        last = (answer.err.strip().splitlines() or ["it said nothing"])[-1]
        raise EdgeopsError(f"{subject.asked.name}: the probe failed with exit code {answer.rc}: {last}", subject.remedy)


def _header(subject: Subject, keeper: Keeper, decision: Decision) -> Header:
    survey = keeper.records.survey or Survey()
    named = subject.served_name if subject.served_name in survey.models else ""
    return Header(
        run=keeper.run.name,
        host=subject.host,
        url=subject.url,
        records=str(keeper.run.directory / subject.file),
        simulated=subject.simulated or survey.simulated or "+lab" in (survey.version or ""),
        model=named or next(iter(survey.models), None) or subject.served_name or None,
        version=survey.version,
        method=decision.method,
        method_wanted=decision.method_wanted,
        k=decision.k,
        baseline_kind=decision.baseline_kind,
        arms=decision.arms,
        one_arm_because=decision.one_arm_because,
        workloads=(),
        memory_floor_gib=subject.memory_floor_gib,
        round_trip_ms=subject.round_trip_ms,
    )


def _choices(options: Options, chosen: Sequence[Workload], found: Records) -> dict[str, Any]:
    """What was asked for, and what two runs must share to be compared."""
    survey, negotiated = found.survey or Survey(), found.negotiated or Negotiated()
    fingerprint = {
        "flags": survey.flags,
        "kernel": survey.kernel,
        **survey.machine,
        **_deployed(survey),
        "refused_fields": negotiated.refused,
        "workload_sha256": {workload.name: workload.digest for workload in chosen},
        "measured_from": "client" if options.client else "host",
        "temperature": procedure.FIELDS["temperature"],
        **asdict(options.sizes),
    }
    return {"workloads": tuple(workload.name for workload in chosen), "fingerprint": fingerprint}


def _deployed(survey: Survey) -> dict[str, str]:
    """Release, TensorRT, and revisions of model and draft; only what is known."""
    if survey.deployed is None:
        return {}
    revisions = [one.revision or one.source for one in survey.deployed.checkpoints]
    named = dict(zip(("model_revision", "draft_revision"), revisions, strict=False))
    found = {"release": survey.deployed.release, "tensorrt": survey.deployed.tensorrt, **named}
    return {key: value for key, value in found.items() if value}


def _announce(header: Header, found: Records, tell: Tell) -> None:
    if found.negotiated is not None and found.negotiated.refused:
        tell(f"the server refuses {', '.join(found.negotiated.refused)}: left out of every request")
    if header.one_arm_because:
        tell(header.one_arm_because)
    if found.survey is not None and len(found.survey.models) > 1:
        tell(f"the server has {len(found.survey.models)} models; measured is {header.model}")
