"""How long ``edgeops --help`` takes, beside the bare interpreter, in turns: run it with the environment's own python.

    python benchmarks/startup.py [ROUNDS]

Prints milliseconds: median and fastest of each. Help should be there at once on a small machine too. What slows it
down is an import at the top of a file; tests/unit/test_cli.py names it.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

LINES = {
    "python -c pass": ["-c", "pass"],
    "edgeops --help": ["-m", "edgeops", "--help"],
    "edgeops hosts --help": ["-m", "edgeops", "hosts", "--help"],
}


def milliseconds(words: list[str]) -> float:
    before = time.perf_counter()
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    return (time.perf_counter() - before) * 1000


def main(rounds: int) -> None:
    measured: dict[str, list[float]] = {name: [] for name in LINES}
    for _ in range(rounds):
        for name, words in LINES.items():
            measured[name].append(milliseconds(words))
    for name, taken in measured.items():
        sys.stdout.write(
            f"{name:<22} median {statistics.median(taken):6.0f} ms  fastest {min(taken):6.0f} ms  n {rounds}\n"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
