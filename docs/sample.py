"""Makes docs/sample-report.html and the pictures of it, from a run that was measured on a simulated host.

    edgeops lab up --hosts spark-01 && edgeops deploy spark-01
    edgeops smoke spark-01 --workload chat,1k,2k --repeat 2
    python docs/sample.py last

Needs Chromium (`make browser`). The pictures are what it draws: a desk by day, a telephone by night.
"""

from __future__ import annotations

import html
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "sample-report.html"
PICTURES = (("report-wide.png", 1440, 1240, False), ("report-narrow.png", 390, 1010, True))
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


def main(run: str) -> None:
    subprocess.run([sys.executable, "-m", "edgeops", "report", run, "--html", str(PAGE)], check=True)
    page = PAGE.read_text(encoding="utf-8")
    if "SIMULATED" not in page:
        sys.exit(f"{run} is no run of a simulated host: the sample must not show somebody's machine")
    with tempfile.TemporaryDirectory() as work:
        for name, width, height, dark in PICTURES:
            frame = Path(work) / f"{width}.html"
            frame.write_text(_frame(page, width, height), encoding="utf-8")
            _draw(frame, DOCS / name, (width, height), dark)


def _frame(page: str, width: int, height: int) -> str:
    """A window cannot be narrower than some 500 pixels; a frame in it can."""
    box = f"border:0;display:block;width:{width}px;height:{height}px"
    return f'<!doctype html><body style="margin:0"><iframe style="{box}" srcdoc="{html.escape(page)}"></iframe></body>'


def _draw(page: Path, picture: Path, size: tuple[int, int], dark: bool) -> None:
    program = shutil.which("chromium") or shutil.which("google-chrome") or "chromium"
    scheme = ["--blink-settings=preferredColorScheme=0"] if dark else []
    window = f"--window-size={size[0]},{size[1]}"
    with tempfile.TemporaryDirectory() as profile:
        words = [*FLAGS, *scheme, window, f"--user-data-dir={profile}", f"--screenshot={picture}", f"file://{page}"]
        subprocess.run([program, *words], check=True, capture_output=True, timeout=120)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "last")
