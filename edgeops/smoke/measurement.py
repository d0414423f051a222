"""One server measured: survey it, decide what can be compared, run the probe, keep what it says, compute the result."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from edgeops.bench import procedure, records, workload
from edgeops.bench.decision import Asked, Decision, decide
from edgeops.bench.procedure import Course, Sizes, Target
from edgeops.bench.records import Header, Records
from edgeops.bench.result import host_result
from edgeops.bench.workload import Workload
from edgeops.errors import EdgeopsError
from edgeops.runs import Run
from edgeops.snapshot import Answer

Tell = Callable[[str], None]
"""Takes one sentence of the story of one server."""

Probe = Callable[[dict[str, Any], Callable[[dict[str, Any]], None], float], Answer]
"""Runs the probe: its plan, who hears each record as it comes, seconds until it is cut off."""


@dataclass(frozen=True)
class Options:
    """What a caller may choose. ``workload`` is a name or a file; ``k`` and ``method`` None measure what runs."""

    k: tuple[int, ...] | None = None
    method: str | None = None
    workload: str = "chat"
    sizes: Sizes = field(default_factory=Sizes)


@dataclass(frozen=True)
class Subject:
    """The server to measure. ``served_name`` is what it should be called, empty for the first model that it lists."""

    asked: Asked
    target: Target
    host: str | None = None
    url: str | None = None
    served_name: str = ""
    remedy: str = ""

    @property
    def file(self) -> str:
        """Name of its file of records."""
        name = self.host or "url"
        return "records-" + "".join(c if c.isalnum() or c in "-_." else "_" for c in name) + ".jsonl"


@dataclass
class Keeper:
    """Keeps each record as it comes, and counts the requests."""

    run: Run
    subject: Subject
    tell: Tell
    lines: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def keep(self, document: dict[str, Any]) -> None:
        """Append to the file; what is not a record is told and left out."""
        line = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
        try:
            record = records.read_line(line)
        except ValueError as error:
            self.tell(f"an answer of the probe was left out: {error}")
            return
        self.run.append(self.subject.file, json.loads(line))
        self.lines.append(line)
        if isinstance(record, records.Request):
            self.counts[record.step.phase] += 1

    @property
    def records(self) -> Records:
        return records.read(self.lines)


def measure_subject(subject: Subject, probe: Probe, options: Options, run: Run, tell: Tell) -> dict[str, Any]:
    """The host's entry of ``edgeops.smoke/1``. Raises EdgeopsError, ConfigurationError where the options do not fit."""
    chosen = workload.open_workload(options.workload)
    keeper = Keeper(run, subject, tell)
    _survey(subject, probe, options, keeper)
    found = keeper.records
    if found.survey is None or found.negotiated is None:
        raise EdgeopsError(f"{subject.asked.name}: the probe said nothing of the server", subject.remedy)
    decision = decide(found.survey, found.negotiated, subject.asked)
    header = _header(subject, keeper, decision).model_copy(update=_choices(options, chosen, found))
    keeper.keep(records.write_line(header))
    _announce(header, found, tell)
    course = Course(header.model or "", decision.arms, chosen, workload.known_answers(), found.negotiated.refused)
    _run_course(course, subject, probe, options, keeper)
    return host_result(keeper.records)


def _survey(subject: Subject, probe: Probe, options: Options, keeper: Keeper) -> None:
    plan = procedure.survey_plan(subject.target, options.sizes, on_host=subject.host is not None)
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
    progress = _Progress(keeper, wanted)
    answer = probe(plan, progress.keep, plan["total_s"] + 10)
    if not keeper.counts["timed"]:
        _complain_of(answer, subject)
        raise EdgeopsError(f"{subject.asked.name}: the probe ended before anything was measured", subject.remedy)
    if answer.rc or keeper.counts["timed"] < wanted:
        keeper.tell(f"the probe ended early, after {keeper.counts['timed']} of {wanted} requests")


@dataclass
class _Progress:
    keeper: Keeper
    wanted: int
    phase: str = ""

    def keep(self, document: dict[str, Any]) -> None:
        self.keeper.keep(document)
        step = document.get("step")
        phase = str(step.get("phase")) if isinstance(step, dict) else ""
        timed = self.keeper.counts["timed"]
        if phase and (phase != self.phase or (phase == "timed" and timed % 6 == 0)):
            self.keeper.tell(f"{_PHASES.get(phase, phase)}{self._count(phase)}")
            self.phase = phase

    def _count(self, phase: str) -> str:
        return f", {self.keeper.counts['timed']} of {self.wanted} requests" if phase == "timed" else ""


_PHASES = {
    "warmup": "warming up",
    "timed": "measuring, the arms in turns",
    "counting": "counting tokens a step, untimed",
    "known": "asking questions with known answers",
}


def _complain_of(answer: Answer, subject: Subject) -> None:
    if answer.rc:
        last = (answer.err.strip().splitlines() or ["it said nothing"])[-1]
        raise EdgeopsError(f"{subject.asked.name}: the probe failed with exit code {answer.rc}: {last}", subject.remedy)


def _header(subject: Subject, keeper: Keeper, decision: Decision) -> Header:
    survey = keeper.records.survey or records.Survey()
    named = subject.served_name if subject.served_name in survey.models else ""
    return Header(
        run=keeper.run.name,
        host=subject.host,
        url=subject.url,
        records=str(keeper.run.directory / subject.file),
        simulated=survey.simulated or "+lab" in (survey.version or ""),
        model=named or next(iter(survey.models), None) or subject.served_name or None,
        version=survey.version,
        method=decision.method,
        method_wanted=decision.method_wanted,
        k=decision.k,
        baseline_kind=decision.baseline_kind,
        arms=decision.arms,
        one_arm_because=decision.one_arm_because,
        workloads=(),
    )


def _choices(options: Options, chosen: Workload, found: Records) -> dict[str, Any]:
    """What was asked for, and what two runs must share to be compared."""
    survey, negotiated = found.survey or records.Survey(), found.negotiated or records.Negotiated()
    fingerprint = {
        "flags": survey.flags,
        "kernel": survey.kernel,
        "refused_fields": negotiated.refused,
        "workload_sha256": chosen.digest,
        "temperature": procedure.FIELDS["temperature"],
        **asdict(options.sizes),
    }
    return {"workloads": (chosen.name,), "fingerprint": fingerprint}


def _announce(header: Header, found: Records, tell: Tell) -> None:
    if found.negotiated is not None and found.negotiated.refused:
        tell(f"the server refuses {', '.join(found.negotiated.refused)}: left out of every request")
    if header.one_arm_because:
        tell(header.one_arm_because)
    if found.survey is not None and len(found.survey.models) > 1:
        tell(f"the server has {len(found.survey.models)} models; measured is {header.model}")
