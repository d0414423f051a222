"""The same server measured by edgeops and by NVIDIA's AIPerf, in turns, in the same run: do the numbers agree?

    python benchmarks/against_aiperf/compare.py [--url URL] [--repeat N]        in an empty directory

Without --url a simulated host is brought up and deployed to (as root; `edgeops lab down` afterwards). AIPerf goes into
a virtual environment of its own below the current directory, from the package index. README.md beside this file says
what is compared, and what came out.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

AIPERF = "aiperf==0.13.0"
HOST = "aiperf-01"
ARMS = {"baseline": True, "k3": False}
"""Name and ``disable_spec_decode``."""
TOKENS = 128
WARM_UP = 2

TOKENIZER = """
import sys
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast
words = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
words.pre_tokenizer = pre_tokenizers.Whitespace()
PreTrainedTokenizerFast(tokenizer_object=words, unk_token="[UNK]", eos_token="[UNK]").save_pretrained(sys.argv[1])
"""
"""AIPerf wants a tokenizer even when the server's counts are used; this one needs no download and counts nothing."""


@dataclass(frozen=True)
class Figures:
    """Medians over requests, in milliseconds and tokens a second."""

    ttft_ms: float
    decode_tok_s: float
    e2e_tok_s: float
    requests: int


def run(*words: object, **options: Any) -> str:
    done = subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True, **options)
    return str(done.stdout)


def edgeops(*words: object) -> str:
    return run(sys.executable, "-m", "edgeops", *words)


def make_aiperf(directory: Path) -> Path:
    """AIPerf and its tokenizer; what is there already is kept."""
    program = directory / "bin" / "aiperf"
    if not program.exists():
        run(sys.executable, "-m", "venv", directory)
        run(directory / "bin" / "python", "-m", "pip", "install", "--quiet", AIPERF)
        run(directory / "bin" / "python", "-c", TOKENIZER, directory / "tokenizer")
    return program


def lab_server() -> str:
    edgeops("lab", "up", "--fresh", "--hosts", HOST)
    edgeops("deploy", HOST, "--no-smoke")
    (host,) = json.loads(edgeops("lab", "status", "--json"))["hosts"]
    return f"http://{host['address']}:8000"


def by_edgeops(url: str, repeat: int) -> dict[str, Figures]:
    from edgeops.bench import figures, record_lines
    from edgeops.bench.comparison import arm_records

    document = json.loads(edgeops("smoke", "--url", url, "--repeat", repeat, "--max-tokens", TOKENS, "--json"))
    lines = Path(document["hosts"][0]["records"]).read_text(encoding="utf-8").splitlines()
    found = {}
    for name in ARMS:
        arm = arm_records(record_lines.read(lines), "chat", name)
        first = arm.first_tokens
        decode = [figures.decode_tok_s(request, first.get(request.step.prompt)) for request in arm.decoded]
        e2e, ttft = arm.known_values(figures.e2e_tok_s), arm.known_values(figures.ttft_ms)
        rates = [rate for rate in decode if rate is not None]
        found[name] = Figures(*map(statistics.median, (ttft, rates, e2e)), len(ttft))
    return found


def write_prompts(path: Path, count: int) -> None:
    """edgeops' own, each with eight digits in front as edgeops puts them; those of the warm-up come first."""
    from edgeops.bench.workload import open_workload

    texts = [str(prompt.messages[0]["content"]) for prompt in open_workload("chat").prompts]
    lines = [json.dumps({"text": f"{10_000_019 + 7_919 * i}\n{texts[i % len(texts)]}"}) for i in range(count)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def by_aiperf(program: Path, url: str, model: str, count: int, plain: bool) -> Figures:
    prompts, out = Path("aiperf-prompts.jsonl"), Path(f"aiperf-{'baseline' if plain else 'k3'}")
    write_prompts(prompts, WARM_UP + count)
    fields = {"max_tokens": TOKENS, "temperature": 0, "enable_thinking": False, "disable_spec_decode": plain}
    fields |= {"reuse_context": False, "cache_generated_tokens": False}
    words: list[object] = ["profile", "--model", model, "--url", url, "--endpoint-type", "chat", "--streaming"]
    words += ["--use-server-token-count", "--use-legacy-max-tokens", "--tokenizer", program.parents[1] / "tokenizer"]
    words += ["--concurrency", 1, "--request-count", count, "--warmup-request-count", WARM_UP]
    words += ["--input-file", prompts, "--custom-dataset-type", "single-turn"]
    words += ["--dataset-sampling-strategy", "sequential", "--extra-inputs", json.dumps(fields)]
    words += ["--ui", "none", "--no-gpu-telemetry", "--no-server-metrics", "--output-artifact-dir", out]
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    run(program, *words, env=environment, stderr=subprocess.DEVNULL)
    told = json.loads((out / "profile_export_aiperf.json").read_text(encoding="utf-8"))
    names = ("time_to_first_token", "output_token_throughput_per_user", "e2e_output_token_throughput")
    return Figures(*(told[name]["p50"] for name in names), int(told["request_count"]["avg"]))


ROWS = (("time to first text, ms", "ttft_ms"), ("decoding, tok/s", "decode_tok_s"), ("end to end, tok/s", "e2e_tok_s"))


def table(arm: str, ours: Sequence[Figures], theirs: Figures) -> str:
    lines = [f"{arm:<26}{'edgeops':>10}{'AIPerf':>10}{'edgeops':>10}   AIPerf / mean of edgeops"]
    for label, name in ROWS:
        before, after, between = getattr(ours[0], name), getattr(ours[1], name), getattr(theirs, name)
        ratio = between / statistics.fmean((before, after)) - 1
        lines.append(f"  {label:<24}{before:>10.2f}{between:>10.2f}{after:>10.2f}   {ratio:+.2%}")
    lines.append(f"  {'requests':<24}{ours[0].requests:>10}{theirs.requests:>10}{ours[1].requests:>10}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="The same server measured by edgeops and by AIPerf, in turns.")
    parser.add_argument("--url", help="a running server; without it a simulated host is brought up")
    parser.add_argument("--repeat", type=int, default=3, help="blocks a prompt; AIPerf sends as many requests")
    asked = parser.parse_args()
    program = make_aiperf(Path("aiperf-venv").resolve())
    url = asked.url or lab_server()
    before = by_edgeops(url, asked.repeat)
    import requests

    model = requests.get(f"{url}/v1/models", timeout=10).json()["data"][0]["id"]
    count = before["baseline"].requests
    theirs = {arm: by_aiperf(program, url, model, count, plain) for arm, plain in ARMS.items()}
    after = by_edgeops(url, asked.repeat)
    sys.stdout.write("" if asked.url else "SIMULATED: the server's speed is scripted\n")
    for arm in ARMS:
        sys.stdout.write(table(arm, (before[arm], after[arm]), theirs[arm]) + "\n")


if __name__ == "__main__":
    main()
