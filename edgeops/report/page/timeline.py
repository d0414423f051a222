"""One prompt, answered in each arm: when its text came. The clearest picture of what drafting does."""

from __future__ import annotations

from collections.abc import Sequence

from edgeops.bench import figures
from edgeops.bench.records import Request
from edgeops.report.page.arms import Series
from edgeops.report.page.drawing import LEFT, Drawing, Scale, Shape, Table, axis, bar, label, said, strokes

_LANE = 50.0
_HEIGHT = 22.0

Lane = tuple[Series, Request]


def timeline(arms: Sequence[Series]) -> Drawing | None:
    """The prompt of middling gain in the first workload that has one answered in every arm; None without one."""
    lanes = next((found for name in dict.fromkeys(arm.workload for arm in arms) if (found := _lanes(arms, name))), None)
    if lanes is None:
        return None
    scale = Scale(0.0, max(_last_ms(request) for _, request in lanes) / 1000)
    bottom = 6 + _LANE * len(lanes)
    shapes: list[Shape] = list(axis(scale, bottom, "seconds after the send", top=4.0))
    for number, lane in enumerate(lanes):
        shapes += _lane(lane, scale, 6 + _LANE * number)
    step = lanes[0][1].step
    return Drawing(
        title="One request in each arm",
        says="; ".join(f"{arm.label}: {_told(request)}" for arm, request in lanes),
        height=bottom + 36,
        shapes=tuple(shapes),
        table=Table(
            ("arm", "first text, ms", "last text, ms", "tokens", "events"), tuple(_numbers(*lane) for lane in lanes)
        ),
        note=f"Prompt “{step.prompt}” of {step.workload}, of middling gain. Pale: waiting. Strokes: text events.",
    )


def _lanes(arms: Sequence[Series], workload: str) -> list[Lane] | None:
    here = [arm for arm in arms if arm.workload == workload]
    first = [{request.step.prompt: request for request in reversed(arm.records.good)} for arm in here]
    shared = [prompt for prompt in first[0] if all(prompt in one for one in first)] if first else []
    if not shared:
        return None
    by_gain = sorted(shared, key=lambda prompt: _last_ms(first[0][prompt]) / (_last_ms(first[-1][prompt]) or 1))
    prompt = by_gain[len(by_gain) // 2]
    return [(arm, one[prompt]) for arm, one in zip(here, first, strict=True)]


def _last_ms(request: Request) -> float:
    events = figures.content_events(request)
    return events[-1].t / 1e6 if events else 0.0


def _lane(lane: Lane, scale: Scale, y: float) -> list[Shape]:
    arm, request = lane
    first, last = figures.ttft_ms(request) or 0.0, _last_ms(request)
    xs = [scale(event.t / 1e9) for event in figures.content_events(request)]
    return [
        label(LEFT, y + 12, f"{arm.label}: {_told(request)}", "strong"),
        bar(LEFT, y + 18, (scale(first / 1000) - LEFT, _HEIGHT), f"wait {arm.css}", f"waiting, {said(first)} ms"),
        bar(scale(first / 1000), y + 18, (scale(last / 1000) - scale(first / 1000), _HEIGHT), f"span {arm.css}"),
        strokes(xs, y + 18, _HEIGHT, f"event {arm.css}"),
    ]


def _told(request: Request) -> str:
    return f"{figures.output_tokens(request)} tokens in {_last_ms(request) / 1000:.2f} s"


def _numbers(arm: Series, request: Request) -> tuple[str, ...]:
    events = len(figures.content_events(request))
    tokens = figures.output_tokens(request)
    return arm.label, said(figures.ttft_ms(request)), said(_last_ms(request)), str(tokens), str(events)
