"""``python -m benchmarks.fleet``: as root, in the project's directory. Takes half an hour and 10 GB of disk."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.fleet import machine, tools
from benchmarks.fleet.fleet import Fleet
from benchmarks.fleet.rows import Row, document, table
from benchmarks.fleet.watch import Watched, watch
from edgeops import layout
from edgeops.lab.places import HostPlaces, Workspace
from edgeops.releases import edgellm_release
from edgeops.settings import Settings

SEED = "fl-seed"
ANSIBLE = "ansible-core==2.19.14"


@dataclass
class Benchmark:
    """One run: the fleet, what the tools are given, and the rows so far."""

    fleet: Fleet
    given: tools.Given
    out: Path
    rows: list[Row] = field(default_factory=list)

    def run(self, tool: str, names: list[str]) -> tuple[Watched, str]:
        """Run one tool over ``names``; what it said is kept. Raises RuntimeError when it fails."""
        log = self.given.directory / f"{tool}.log"
        words = tools.TOOLS[tool](self.given, names)
        watched = watch(words, self.fleet.workspace.root, tools.environment(self.given), log)
        said = log.read_text(encoding="utf-8", errors="replace")
        if watched.exit_code:
            raise RuntimeError(f"{tool} on {len(names)} hosts ended with {watched.exit_code}:\n{said[-3000:]}")
        return watched, said

    def first(self, tool: str, count: int) -> None:
        """A deploy to hosts that were never deployed to, and the proof that their servers answer."""
        names = _names("fresh", count)
        self.fleet.fresh(names)
        watched, _ = self.run(tool, names)
        self.keep(Row("first", count, tool, watched))
        self.fleet.drop(names)

    def again(self, tool: str, count: int) -> None:
        """A deploy to hosts where nothing is to be changed; the tool must say that nothing was."""
        watched, said = self.run(tool, _names("fleet", count))
        if not tools.says_unchanged(tool, said, count):
            raise RuntimeError(f"{tool} changed something on {count} hosts:\n{said[-3000:]}")
        self.keep(Row("again", count, tool, watched))

    def keep(self, row: Row) -> None:
        """Written down at once: a run over fifty hosts takes a while."""
        self.rows.append(row)
        result = document(self.rows, machine.facts(self.given))
        self.out.parent.mkdir(parents=True, exist_ok=True)
        self.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        watched = row.watched
        _tell(f"{row.job} {row.hosts:>3} {row.tool:<8} {watched.wall_s:7.2f} s, load before {watched.load_before:.1f}")


def main() -> None:
    """Seed, redeploys, first deploys, table."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="fl-", dir="/tmp") as scratch:
        fleet = Fleet(Workspace(Path(scratch).resolve()), lambda _line: None)
        try:
            _tell("one host is deployed, to be the layer below the others")
            fleet.fresh([SEED])
            benchmark = Benchmark(fleet, _given(fleet, Path(scratch) / "g", options.ansible), options.out)
            _again(benchmark, options)
            for count in options.first:
                for tool in options.tools:
                    benchmark.first(tool, count)
        finally:
            fleet.end()
    sys.stdout.write(table(json.loads(options.out.read_text(encoding="utf-8"))))


def _again(benchmark: Benchmark, options: argparse.Namespace) -> None:
    """All tools in turns over the same hosts, each of which edgeops deployed before; who begins changes by round."""
    if not options.again:
        return
    names = _names("fleet", max(options.again))
    _tell(f"{len(names)} hosts above it, each deployed once by edgeops")
    seed, layer = benchmark.fleet.become_layer(SEED)
    benchmark.fleet.above(layer, seed, names)
    for part in range(0, len(names), 10):
        benchmark.run("edgeops", names[part : part + 10])
    for turn in range(options.rounds):
        for count in options.again:
            for tool in (*options.tools[turn % 3 :], *options.tools[: turn % 3]):
                benchmark.again(tool, count)
    benchmark.fleet.drop(names)


def _given(fleet: Fleet, directory: Path, ansible: Path | None) -> tools.Given:
    """Deploy the seed by edgeops, and take from it what the other tools are to put on hosts."""
    words = [sys.executable, "-m", "edgeops", "deploy", SEED, "--no-smoke", "--json"]
    done = subprocess.run(words, cwd=fleet.workspace.root, capture_output=True, text=True, check=True)
    name = json.loads(done.stdout)["hosts"][0]["release"]
    requirement = edgellm_release(Settings().edgellm_version).requirement
    given = tools.Given(fleet.workspace.inventory, directory, ansible or _ansible(directory), name, requirement)
    root = HostPlaces(fleet.workspace.state, SEED).merged
    unit, environment, constraints = (
        (root / path.lstrip("/")).read_text(encoding="utf-8")
        for path in (
            layout.UNIT_FILE,
            layout.ENVIRONMENT_FILE,
            f"{layout.release_directory(name)}/constraints.txt",
        )
    )
    address = str(tools.hosts(given)[SEED]["ansible_host"])
    given.write_down(unit.replace(address, "{{ bind }}"), environment, constraints)
    return given


def _ansible(directory: Path) -> Path:
    """Ansible in an environment of its own."""
    place = directory / "ansible"
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    subprocess.run([str(place / "bin/python"), "-m", "pip", "install", "-q", ANSIBLE], check=True)
    return place / "bin"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fleet", description=__doc__)
    parser.add_argument("--first", type=_counts, default="1,10", help="hosts of the first deploys: 1,10")
    parser.add_argument("--again", type=_counts, default="1,10,50", help="hosts of the redeploys: 1,10,50")
    parser.add_argument("--rounds", type=int, default=3, help="of the redeploys")
    parser.add_argument("--tools", type=lambda text: text.split(","), default=list(tools.TOOLS))
    parser.add_argument("--ansible", type=Path, help="the folder with ansible-playbook; else it is installed")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "latest.json")
    return parser.parse_args()


def _counts(text: str) -> list[int]:
    return [int(part) for part in text.split(",") if part]


def _names(stem: str, count: int) -> list[str]:
    return [f"fl-{stem}-{number:02d}" for number in range(1, count + 1)]


def _tell(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    main()
