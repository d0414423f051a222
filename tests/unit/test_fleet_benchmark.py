"""The table of the fleet benchmark is computed from the results beside it, and its watch sees what it says it sees."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from benchmarks.fleet.rows import table
from benchmarks.fleet.tools import says_unchanged
from benchmarks.fleet.watch import watch

FLEET = Path(__file__).resolve().parents[2] / "benchmarks" / "fleet"
RESULTS = sorted((FLEET / "results").glob("20*.json"))


def test_the_readme_shows_what_the_results_say() -> None:
    assert RESULTS
    readme = (FLEET / "README.md").read_text(encoding="utf-8")
    for path in RESULTS:
        assert table(json.loads(path.read_text(encoding="utf-8"))) in readme, path.name


def test_results_are_marked_as_simulated_and_name_their_machine() -> None:
    for path in RESULTS:
        result = json.loads(path.read_text(encoding="utf-8"))
        assert result["simulated"] is True
        assert {"cores", "kernel", "cpu", "pyinfra", "ansible"} <= set(result["machine"])


def test_cpu_and_memory_of_children_and_of_daemons_are_counted(tmp_path: Path) -> None:
    spend = "import os, time\nkept = bytearray(60_000_000)\nwhile time.process_time() < 0.5: pass\n"
    leave = "import os\nif os.fork(): os._exit(0)\nos.setsid()\n"
    daemon = f"{leave}{spend}open('told', 'w').write('done')\ntime.sleep(60)"
    program = (
        "import os, subprocess, sys\nos.mkfifo('told')\n"
        f"subprocess.run([sys.executable, '-c', {daemon!r}])\n"
        f"subprocess.run([sys.executable, '-c', {spend!r}])\n"
        "open('told').read()\n"
    )
    watched = watch([sys.executable, "-c", program], tmp_path, os.environ, tmp_path / "log")
    assert watched.exit_code == 0, (tmp_path / "log").read_text()
    assert watched.cpu_s > 1.0
    assert watched.largest_mb > 60


@pytest.mark.parametrize(
    ("tool", "said", "unchanged"),
    [
        ("edgeops", '"outcome": "unchanged"', True),
        ("edgeops", '"outcome": "deployed"', False),
        ("ansible", "h : ok=9    changed=0    unreachable=0    failed=0    skipped=0", True),
        ("ansible", "h : ok=9    changed=1    unreachable=0    failed=0    skipped=0", False),
        ("ansible", "h : ok=0    changed=0    unreachable=1    failed=0    skipped=0", False),
        ("pyinfra", "    Grand total      15      -         -       15", True),
        ("pyinfra", "    Grand total      15      1         -       14", False),
        ("pyinfra", "", False),
    ],
)
def test_a_run_counts_only_if_the_tool_says_that_nothing_changed(tool: str, said: str, unchanged: bool) -> None:
    assert says_unchanged(tool, said, 1) is unchanged
