"""The first thing on the page: did it help, by how much, how sure is that, and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from edgeops.report.confidence import percent
from edgeops.report.page.arms import named
from edgeops.report.page.drawing import said

Document = Mapping[str, Any]

_ADVICE = {
    "faster": "Keep speculative decoding on.",
    "slower": "Turn speculative decoding off.",
    "no useful gain": "Turn speculative decoding off: the gain is not worth a second set of weights in memory.",
    "inconclusive": "Keep what runs until this is known.",
}
_DEPENDS = "Decide by the workload that is yours; keep what runs until it is known."
_TONES = {"faster": "good", "slower": "bad", "no useful gain": "bad", "inconclusive": "open"}


@dataclass(frozen=True)
class Answer:
    """``word`` is the verdict, ``tone`` its class; ``headline``, ``sure`` and ``todo`` are sentences."""

    question: str
    word: str
    tone: str
    headline: str
    sure: str
    todo: str


@dataclass(frozen=True)
class Tile:
    """One figure of the arm that users get beside the baseline's."""

    label: str
    before: str
    after: str
    unit: str


def answer(entry: Document, arm: str) -> Answer:
    """For one host's entry of ``edgeops.smoke/1`` and the arm that users get."""
    gains = [(one["name"], one["speedup"][arm]) for one in entry["workloads"] if arm in one["speedup"]]
    question = f"Does {named(arm)} help?" if gains else "How fast is it?"
    if not gains:
        return _alone(entry, question)
    words = {gain["verdict"] for _, gain in gains}
    if len(words) > 1:
        told = "; ".join(f"{name}: {_verdict(gain)}" for name, gain in gains)
        return Answer(question, "inconclusive", "open", "It depends on the workload.", told + ".", _DEPENDS)
    word = words.pop()
    return Answer(question, word, _TONES[word], _headline(arm, word, gains), _sure(gains), _ADVICE[word])


def _alone(entry: Document, question: str) -> Answer:
    reason = next((guard["detail"] for guard in entry["guards"] if guard["id"] == "arms"), "")
    return Answer(question, "inconclusive", "open", "Nothing to compare.", str(reason), "")


def _headline(arm: str, word: str, gains: Sequence[tuple[str, Document]]) -> str:
    values = [gain["e2e"] for _, gain in gains if gain["e2e"] is not None]
    if not values:
        return "Not known: no prompt was answered in both arms."
    low, high = said(min(values)), said(max(values))
    times = f"{low}×" if low == high else f"{low}× to {high}×"
    if word == "faster":
        return f"Yes: {times} as fast."
    if word == "slower":
        return f"No: slower, {times} the speed."
    if word == "no useful gain":
        return f"No useful gain: {times}."
    return f"Not sure: {named(arm)} measured {times}."


def _verdict(gain: Document) -> str:
    if gain["verdict"] == "inconclusive":
        return f"inconclusive ({gain['reason']})"
    return f"{gain['verdict']}, {said(gain['e2e'])}×"


def _sure(gains: Sequence[tuple[str, Document]]) -> str:
    if len(gains) == 1:
        (_, gain) = gains[0]
        if gain["verdict"] == "inconclusive":
            return f"{gain['reason'][:1].upper()}{gain['reason'][1:]}."
        return (
            f"{percent(gain)} sure between {gain['lo']:.2f}× and {gain['hi']:.2f}×." if gain["lo"] is not None else ""
        )
    if gains[0][1]["verdict"] == "inconclusive":
        return "; ".join(f"{name}: {gain['reason']}" for name, gain in gains) + "."
    known = [(name, gain) for name, gain in gains if gain["lo"] is not None]
    return (
        f"{percent(gains[0][1])} sure: "
        + ", ".join(f"{name} {gain['lo']:.2f}× to {gain['hi']:.2f}×" for name, gain in known)
        + "."
    )


_TILES = (
    ("end to end", "e2e_tok_s", "mean", "tok/s"),
    ("decoding", "decode_tok_s", "mean", "tok/s"),
    ("first text, median", "ttft_ms", "p50", "ms"),
)


def tiles(workload: Document, arm: str) -> tuple[Tile, ...]:
    """The figures that people ask for first, of one workload."""
    drafting, baseline = workload["arms"].get(arm), workload["arms"].get("baseline") or {}
    if drafting is None:
        return ()

    def figure(one: Document, name: str, value: str) -> str:
        return said((one.get(name) or {}).get(value))

    made = [
        Tile(label, figure(baseline, name, value) if baseline else "", figure(drafting, name, value), unit)
        for label, name, value, unit in _TILES
    ]
    steps = drafting["tokens_per_step"]
    return (*made, Tile("tokens a step", "1.00" if baseline else "", said(steps), "")) if steps else tuple(made)
