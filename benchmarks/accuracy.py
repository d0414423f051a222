"""How exact edgeops' figures are: the probe against an engine of known speed, through the vendor's own server.

    python benchmarks/accuracy.py [REQUESTS]        as root, in an empty directory

Brings a simulated host up, deploys to it with k = 7, and sets the scripted engine to 20 … 2,000 tokens a second and 1
to 8 tokens a step. The engine writes down when it handed over each step; both use the same monotonic clock, so that
what the probe says can be held against what was set and against what the engine did. All speeds are simulated; the
errors are real, and those of this machine. `edgeops lab down` afterwards.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gevent import monkey

monkey.patch_all()

from edgeops.bench import failures, figures  # noqa: E402
from edgeops.bench.records import Request  # noqa: E402
from edgeops.smoke.local import run_probe  # noqa: E402

RATES = (20, 130, 500, 1000, 2000)
STEPS = (1, 3, 8)
K = 7
TTFT_MS = 100
HOST = "accuracy-01"

Clock = Callable[[], list[dict[str, Any]]]
"""All lines of the engine's clock so far."""


@dataclass(frozen=True)
class Case:
    """``step``: tokens a step; 1 is decoding without drafts. ``characters``: of the prompt."""

    rate: int
    step: int
    characters: int = 455

    @property
    def knobs(self) -> dict[str, object]:
        """What the scripted engine is set to."""
        speed = {"baseline_tok_s": self.rate, "spec_tok_s": self.rate, "accept": self.step}
        return {**speed, "ttft_ms": TTFT_MS, "spread": 0}

    @property
    def tokens(self) -> int:
        """Two and a half seconds of text, as far as the engine can: a clock's error must be small beside it."""
        return min(2000, max(64, round(2.5 * self.rate)))


@dataclass(frozen=True)
class Reading:
    """One request: what the probe says, and what the engine's clock says, in milliseconds and tokens a second.

    ``before_ms``: from the send until the engine saw the request; ``after_ms``: from the engine's first step until the
    probe had its text. Both are the server's HTTP layer and the machine's. ``cpu``: the probe's share of one core.
    """

    decode_tok_s: float
    engine_tok_s: float
    ttft_ms: float
    before_ms: float
    engine_ttft_ms: float
    after_ms: float
    cpu: float


def read(address: str, case: Case, requests: int, clock: Clock) -> list[Reading]:
    """Send ``requests`` of them, one after the other."""
    told = len(clock())
    step = {"do": "request", "phase": "timed", "arm": "k7", "workload": "accuracy", "prompt": "p", "nonce": "01234567"}
    fields = {"stream": True, "stream_options": {"include_usage": True}, "temperature": 0, "max_tokens": case.tokens}
    plan = {
        "address": address,
        "port": 8000,
        "prompts": {"p": [{"role": "user", "content": "x" * case.characters}]},
        "fields": {**fields, "reuse_context": False, "cache_generated_tokens": False},
        "arms": {"k7": {"disable_spec_decode": case.step == 1}},
        "steps": [step] * requests,
        "deadline_s": 60,
        "total_s": 60 * requests,
    }
    heard: list[dict[str, Any]] = []
    answer = run_probe(plan, heard.append, 60 * requests + 10)
    records = [Request.model_validate(line) for line in heard if line["kind"] == "request"]
    assert answer.rc == 0, answer.err
    assert [failures.reason(record) for record in records] == [None] * requests
    return [reading(*both) for both in zip(records, clock()[told:], strict=True)]


def reading(request: Request, engine: dict[str, Any]) -> Reading:
    steps = engine["steps"]
    first, last, n_1 = steps[0][0], steps[-1][0], steps[0][1]
    decode, ttft = figures.decode_tok_s(request, n_1), figures.ttft_ms(request)
    assert decode is not None
    assert ttft is not None
    return Reading(
        decode_tok_s=decode,
        engine_tok_s=(sum(tokens for _, tokens in steps) - n_1) / (last - first) * 1e9,
        ttft_ms=ttft,
        before_ms=(engine["seen_ns"] - request.sent_ns) / 1e6,
        engine_ttft_ms=(first - request.sent_ns) / 1e6,
        after_ms=ttft - (first - request.sent_ns) / 1e6,
        cpu=request.cpu_ns / request.wall_ns,
    )


def middle(readings: list[Reading], value: Callable[[Reading], float]) -> float:
    return statistics.median(map(value, readings))


def row(case: Case, readings: list[Reading]) -> str:
    def error(truth: Callable[[Reading], float]) -> float:
        return middle(readings, lambda r: (r.decode_tok_s / truth(r) - 1) * 100)

    return (
        f"{case.rate:>5} {case.step:>4} {case.characters:>6} {middle(readings, lambda r: r.engine_tok_s):>9.2f} "
        f"{middle(readings, lambda r: r.decode_tok_s):>9.2f} {error(lambda _: case.rate):>+7.2f} "
        f"{error(lambda r: r.engine_tok_s):>+7.2f} {middle(readings, lambda r: r.ttft_ms):>8.2f} "
        f"{middle(readings, lambda r: r.before_ms):>7.2f} {middle(readings, lambda r: r.after_ms):>7.2f} "
        f"{middle(readings, lambda r: 100 * r.cpu):>6.2f}"
    )


HEAD = (
    " tok/s step  chars    engine   edgeops  set, %  clock, %    TTFT  before   after   CPU\n"
    "  set   tok           tok/s     tok/s   error   error       ms      ms      ms     %"
)


def cases() -> Iterator[Case]:
    yield from (Case(rate, step) for rate in RATES for step in STEPS)
    yield from (Case(130, 3, characters) for characters in (4_000, 8_000, 12_000))


def edgeops(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "edgeops", *words], check=True, stdout=subprocess.DEVNULL)


def main(requests: int) -> None:
    from edgeops.lab import Workspace, set_knobs
    from edgeops.lab.places import HostPlaces
    from edgeops.lab.scripted.clock import FILE

    workspace = Workspace(Path.cwd())
    edgeops("lab", "up", "--fresh", "--hosts", HOST)
    inventory = workspace.inventory.read_text()
    if f"k: {K}\n" not in inventory:
        workspace.inventory.write_text(inventory.replace("          bind:", f"          k: {K}\n          bind:", 1))
    edgeops("deploy", HOST, "--no-smoke")
    address = next(line.split()[-1] for line in inventory.splitlines() if "ansible_host:" in line)
    file = HostPlaces(workspace.state, HOST).merged / str(FILE).lstrip("/")

    def clock() -> list[dict[str, Any]]:
        return [json.loads(line) for line in file.read_text().splitlines()]

    sys.stdout.write(f"SIMULATED speeds; medians of {requests} requests\n{HEAD}\n")
    for case in cases():
        set_knobs(workspace, HOST, {name: str(value) for name, value in case.knobs.items()}, lambda _: None)
        sys.stdout.write(row(case, read(address, case, requests, clock)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
