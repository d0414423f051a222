"""Twenty whole runs each of engines whose gain is known: simulated records with noise, through guards and verdict.

Nothing is timed here. A server is a formula: a time to the first token and a rate for each arm, each prompt with a gain
of its own, each request with noise. The same engines are measured over HTTP in tests/lab/test_measurement.py.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from edgeops.bench.records import Event, Request
from edgeops.bench.result import host_result
from tests.unit.bench.arms import PROMPTS, TOKENS, answer, known, records_of

RUNS = 20


@dataclass(frozen=True)
class Engine:
    """``gain``: of the decode rate with drafts; ``content``: by how much it differs between prompts, as a deviation."""

    gain: float
    ttft_ms: float = 100.0
    spec_ttft_ms: float = 101.0
    tok_s: float = 73.4
    content: float = 0.06
    noise: float = 0.01

    def run(self, seed: int, blocks: int = 1) -> tuple[Request, ...]:
        dice = random.Random(seed)
        requests = []
        for prompt in PROMPTS:
            gain = self.gain * (1 + dice.gauss(0, self.content))
            for block in range(blocks):
                for arm, ttft, rate in (
                    ("baseline", self.ttft_ms, self.tok_s),
                    ("k3", self.spec_ttft_ms, self.tok_s * gain),
                ):
                    first = ttft * (1 + abs(dice.gauss(0, 0.04)))
                    last = first + 1000 * (TOKENS - 1) / (rate * (1 + dice.gauss(0, self.noise)))
                    requests.append(timed(arm, prompt, block, first, last))
        return (*requests, *(known(arm, "The answer is 4.", "4") for arm in ("baseline", "k3")))


def timed(arm: str, prompt: str, block: int, first_ms: float, last_ms: float) -> Request:
    made = answer(arm, prompt, 1.0)
    at = [4.0, first_ms, *[last_ms] * (len(made.events) - 2)]
    events: tuple[Event, ...] = tuple(
        event.model_copy(update={"t": round(ms * 1e6)}) for event, ms in zip(made.events, at, strict=True)
    )
    return made.model_copy(update={"events": events, "step": made.step.model_copy(update={"block": block})})


def verdicts(engine: Engine, blocks: int = 1) -> list[str]:
    return [host_result(records_of(engine.run(seed, blocks)))["verdict"] for seed in range(RUNS)]


@pytest.mark.parametrize("blocks", [1, 3])
def test_seventy_percent_more_is_faster_in_twenty_of_twenty_runs(blocks: int) -> None:
    assert verdicts(Engine(gain=1.70), blocks) == ["faster"] * RUNS


@pytest.mark.parametrize("content", [0.0, 0.02, 0.06])
@pytest.mark.parametrize("blocks", [1, 3])
def test_two_percent_more_is_never_faster(blocks: int, content: float) -> None:
    assert set(verdicts(Engine(gain=1.02, content=content), blocks)) <= {"no useful gain", "inconclusive"}


def test_two_percent_more_on_an_even_engine_is_no_useful_gain() -> None:
    """Where content makes no difference six prompts are enough to say so, not only to be unsure."""
    assert verdicts(Engine(gain=1.02, content=0.0, noise=0.002)).count("no useful gain") >= 15


def test_no_gain_at_all_is_never_faster() -> None:
    assert "faster" not in verdicts(Engine(gain=1.0))


def test_slower_end_to_end_with_a_better_time_per_token_is_slower() -> None:
    engine = Engine(gain=1.25, spec_ttft_ms=1500.0)
    assert verdicts(engine) == ["slower"] * RUNS
    arms = host_result(records_of(engine.run(0)))["workloads"][0]["arms"]
    assert arms["k3"]["tpot_ms"]["p50"] < arms["baseline"]["tpot_ms"]["p50"]


def test_more_prompts_narrow_the_interval_where_content_differs_and_more_blocks_hardly() -> None:
    """Why ``--repeat`` is 1 unless told otherwise: most of what is unsure is content, which repeats do not average."""

    def width(blocks: int) -> float:
        found = [host_result(records_of(Engine(gain=1.7).run(seed, blocks))) for seed in range(RUNS)]
        gains = [entry["workloads"][0]["speedup"]["k3"] for entry in found]
        return sum(gain["hi"] - gain["lo"] for gain in gains) / RUNS

    assert width(6) > 0.7 * width(1)
