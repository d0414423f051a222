"""What NVIDIA published, as context beside what was measured: never a threshold, never taken for a measurement.

Sources: NVIDIA's tutorial of 2026-10-30 for DGX Spark (SpeedBench and HumanEval, thinking on, batch 1, at most 128
output tokens, DSpark with 3 candidates; speed excludes the time to the first token, which is a median), and the
performance page of TensorRT Edge-LLM 0.10.0 (``llm_inference`` without HTTP, batch 1, 66 prompt tokens, MTBench
prompts), https://nvidia.github.io/TensorRT-Edge-LLM/.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MODEL = "NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4"
PROMPT_MATCH = 0.25
"""A published row stands beside a workload when their mean prompts differ by no more than this share."""


@dataclass(frozen=True)
class Published:
    """One row: rates in tokens a second, times in milliseconds; None where the source does not say."""

    workload: str
    prompt_tokens: int
    without: float
    drafting: float
    ttft_without: float | None = None
    ttft_drafting: float | None = None

    @property
    def gain(self) -> float:
        return self.drafting / self.without


@dataclass(frozen=True)
class Source:
    """One published table: what it holds for, and its rows."""

    name: str
    platform: str
    method: str
    k: int | None
    conditions: str
    rows: tuple[Published, ...]


_TUTORIAL = Source(
    "NVIDIA's tutorial, 30 October 2026",
    "dgx-spark",
    "dspark",
    3,
    "DGX Spark, Edge-LLM 0.11.1, thinking on, one stream, at most 128 output tokens, 3 candidates.",
    (
        Published("HumanEval", 139, 73.4, 126.9, 98.1, 98.7),
        Published("SpeedBench 1K", 1153, 73.3, 108.5, 201.0, 203.0),
        Published("SpeedBench 2K", 2247, 72.8, 105.3, 329.5, 331.6),
    ),
)
_CONDITIONS = "Edge-LLM 0.10.0, llm_inference (no HTTP), batch 1, prompts of 66 tokens."


def _performance(platform: str, method: str, without: float, drafting: float) -> Source:
    rows = (Published("MTBench", 66, without, drafting),)
    return Source("NVIDIA's performance page for 0.10.0", platform, method, None, _CONDITIONS, rows)


SOURCES = (
    _TUTORIAL,
    _performance("dgx-spark", "mtp", 75.6, 93.2),
    _performance("dgx-spark", "dflash", 75.6, 61.5),
    _performance("jetson-thor", "mtp", 81.6, 95.3),
    _performance("jetson-thor", "dflash", 81.6, 58.7),
)


@dataclass(frozen=True)
class Beside:
    """A published row and the measured figures that stand beside it, absent where no workload is like it."""

    published: Published
    workload: str = ""
    measured: Mapping[str, float | None] | None = None


def source_for(model: str | None, platform: str | None, method: str | None, k: int) -> Source | None:
    """The published table that fits; None when model, platform, method or k is another one."""
    if (model or "").rstrip("/").rpartition("/")[2] != MODEL:
        return None
    fitting = (one for one in SOURCES if (one.platform, one.method) == (platform, method) and one.k in (None, k))
    return next(fitting, None)


def beside(source: Source, workloads: list[Mapping[str, Any]], arm: str) -> tuple[Beside, ...]:
    """Each published row with the measured workload whose mean prompt is like its own, if any."""
    return tuple(_beside(row, workloads, arm) for row in source.rows)


def _beside(row: Published, workloads: list[Mapping[str, Any]], arm: str) -> Beside:
    for workload in workloads:
        baseline, drafting = workload["arms"].get("baseline"), workload["arms"].get(arm)
        length = ((baseline or {}).get("prompt_tokens") or {}).get("mean")
        if not drafting or not length or abs(length - row.prompt_tokens) > PROMPT_MATCH * row.prompt_tokens:
            continue
        speedup = _of(drafting, "decode_tok_s", "mean"), _of(baseline, "decode_tok_s", "mean")
        measured = {
            "without": speedup[1],
            "drafting": speedup[0],
            "gain": speedup[0] / speedup[1] if speedup[0] and speedup[1] else None,
            "ttft_without": _of(baseline, "ttft_ms", "p50"),
            "ttft_drafting": _of(drafting, "ttft_ms", "p50"),
        }
        return Beside(row, workload["name"], measured)
    return Beside(row)


def _of(arm: Mapping[str, Any], figure: str, value: str) -> float | None:
    return (arm[figure] or {}).get(value)
