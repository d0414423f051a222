"""What the page shows, section by section: one value that the template only has to set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from edgeops.bench import regression
from edgeops.bench.records import Records
from edgeops.history import PastRun
from edgeops.report.page import facts, published
from edgeops.report.page.answer import Answer, Tile, answer, tiles
from edgeops.report.page.arms import Series, colours, legend, named, series
from edgeops.report.page.drawing import Drawing, said
from edgeops.report.page.first_text import first_text
from edgeops.report.page.gain import gain
from edgeops.report.page.machine import machine
from edgeops.report.page.rates import rates
from edgeops.report.page.steps import steps
from edgeops.report.page.timeline import timeline
from edgeops.runs.summary import summarise

Document = Mapping[str, Any]


@dataclass(frozen=True)
class Beside:
    """The vendor's table: the source and its rows as texts. ``circular``: the host's speed was scripted from it."""

    name: str
    conditions: str
    rows: tuple[tuple[str, ...], ...]
    circular: bool


@dataclass(frozen=True)
class Smoke:
    """One measured host."""

    entry: Document
    answer: Answer
    tiles: tuple[tuple[str, tuple[Tile, ...]], ...]
    asked: str
    gain: Drawing | None
    charts: tuple[Drawing, ...]
    legend: tuple[tuple[str, str], ...]
    tables: tuple[tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]], ...]
    beside: Beside | None
    fingerprints: tuple[tuple[str, str], ...]
    failed: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class HostView:
    """One host of the run. ``deploy`` is its entry of ``edgeops.deploy/1``, None in a benchmark's run."""

    name: str
    simulated: bool
    deploy: Document | None
    error: Document | None
    smoke: Smoke | None


@dataclass(frozen=True)
class PageView:
    name: str
    kind: str
    when: str
    outcome: str
    simulated: bool
    hosts: tuple[HostView, ...]
    differences: tuple[str, ...]
    notes: tuple[str, ...]


def page_view(past: PastRun) -> PageView:
    """Everything that stands on the page of ``past``."""
    hosts = tuple(_host(entry, past) for entry in past.document["hosts"])
    summary = summarise(past.directory)
    return PageView(
        name=past.name,
        kind=past.kind,
        when=summary.at[:16].replace("T", " "),
        outcome=summary.outcome,
        simulated=any(host.simulated for host in hosts),
        hosts=hosts,
        differences=past.differences,
        notes=past.notes,
    )


def _host(entry: Document, past: PastRun) -> HostView:
    deploy = entry if "outcome" in entry else None
    found = entry.get("smoke") if deploy else entry
    evidence = past.evidence_of(found) if found else None
    smoke = _smoke(found, evidence.records, deploy or entry) if found and evidence else None
    name = str(entry.get("host") or entry.get("url"))
    return HostView(name, entry["simulated"] is True, deploy, entry.get("error"), smoke)


def _smoke(entry: Document, records: Records, around: Document) -> Smoke:
    header = records.header
    assert header is not None
    arm = regression.served_arm(header)
    arms = list(series(records))
    charts = (rates(arms), first_text(arms), timeline(arms), steps(arms), machine(records))
    return Smoke(
        entry=entry,
        answer=answer(entry, arm),
        tiles=tuple((workload["name"], tiles(workload, arm)) for workload in entry["workloads"]),
        asked=_asked(arms),
        gain=gain(entry["workloads"], colours(header)),
        charts=tuple(chart for chart in charts if chart is not None),
        legend=legend(header),
        tables=tuple(_table(workload) for workload in entry["workloads"]),
        beside=_beside(entry, records, around, arm),
        fingerprints=facts.fingerprints(records),
        failed=facts.failed_requests(records),
    )


def _asked(arms: list[Series]) -> str:
    """How much the answer rests on: ``6 prompts, each asked 2 times in each of 2 arms; 24 requests``."""
    prompts = {(arm.workload, request.step.prompt) for arm in arms for request in arm.records.timed}
    requests = sum(len(arm.records.timed) for arm in arms)
    if not prompts:
        return ""
    numbers = f"{len(prompts)} prompt{'' if len(prompts) == 1 else 's'}, {requests} timed requests"
    return f"{numbers}, the arms in turns." if len({arm.arm for arm in arms}) > 1 else f"{numbers}."


def _beside(entry: Document, records: Records, around: Document, arm: str) -> Beside | None:
    header = records.header
    assert header is not None
    source = published.source_for(header.model, facts.platform(around, header), header.method, header.k)
    if source is None or arm == "baseline":
        return None
    rows = tuple(row for one in published.beside(source, entry["workloads"], arm) for row in _beside_rows(one))
    return Beside(source.name, source.conditions, rows, circular=entry["simulated"] is True)


def _beside_rows(one: published.Beside) -> Iterator[tuple[str, ...]]:
    row, times = one.published, "×"
    told = (said(row.without), said(row.drafting), f"{row.gain:.2f}{times}")
    waits = (said(row.ttft_without), said(row.ttft_drafting))
    yield f"{row.workload}, {row.prompt_tokens:,} prompt tokens", "published by NVIDIA", *told, *waits
    if one.measured is None:
        return
    measured = one.measured
    shown = (said(measured["without"]), said(measured["drafting"]), said(measured["gain"], times))
    yield f"{one.workload}", "measured here", *shown, said(measured["ttft_without"]), said(measured["ttft_drafting"])


_ROWS: tuple[tuple[str, str, str], ...] = (
    ("end to end, mean tok/s", "e2e_tok_s", "mean"),
    ("decoding, mean tok/s", "decode_tok_s", "mean"),
    ("time per output token, mean ms", "tpot_ms", "mean"),
    ("first text, median ms", "ttft_ms", "p50"),
    ("first text, longest ms", "ttft_ms", "max"),
    ("first answer, median ms", "ttfa_ms", "p50"),
    ("prompt tokens, mean", "prompt_tokens", "mean"),
    ("answer tokens, mean", "output_tokens", "mean"),
)


def _table(workload: Document) -> tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Title, head and rows: the arms side by side."""
    arms = workload["arms"]
    rows = [
        (label, *(said((arm[name] or {}).get(value)) for arm in arms.values()))
        for label, name, value in _ROWS
        if any(arm[name] for arm in arms.values())
    ]
    rows.append(("tokens a step", *(said(arm["tokens_per_step"]) for arm in arms.values())))
    rows.append(("requests", *(str(arm["requests"]) for arm in arms.values())))
    rows.append(("failed", *(str(sum(arm["failed"].values())) for arm in arms.values())))
    if any(arm["decode_upper_bound"] for arm in arms.values()):
        bound = ("at most; the first event's tokens are not known", "exact")
        rows.append(
            ("decode rates are", *(bound[0] if arm["decode_upper_bound"] else bound[1] for arm in arms.values()))
        )
    return workload["name"], ("", *(named(arm) for arm in arms)), tuple(rows)
