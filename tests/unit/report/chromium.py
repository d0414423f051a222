"""A page as headless Chromium lays it out: how wide it gets, how large its text is, what collides, what is wrong."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAMS = ("chromium", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--enable-logging=stderr",
)
DARK = "--blink-settings=preferredColorScheme=0"
"""What a reader's system asks for; without it the scheme is light."""

_WRAPPER = """<!doctype html><body style="margin:0">
<iframe style="border:0;width:{width}px;height:12000px" srcdoc="{page}"></iframe>
<script>
addEventListener("load", () => {{
  const inside = document.querySelector("iframe").contentDocument, root = inside.documentElement;
  const box = element => element.getBoundingClientRect();
  const outside = [...inside.querySelectorAll("body *")].filter(element =>
    !element.closest(".scroll") && (box(element).right > {width} + 0.5 || box(element).left < -0.5));
  const drawings = [...inside.querySelectorAll("svg")];
  const texts = drawings.map(drawing => [...drawing.querySelectorAll("text")]);
  const sizes = texts.flat().map(text =>
    parseFloat(inside.defaultView.getComputedStyle(text).fontSize) * box(text.ownerSVGElement).width / 440);
  const hits = [];
  for (const group of texts) group.forEach((one, first) => group.slice(first + 1).forEach(other => {{
    const a = box(one), b = box(other);
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (across > 2 && down > 4) hits.push(one.textContent + " / " + other.textContent);
  }}));
  document.body.dataset.found = JSON.stringify({{
    width: root.scrollWidth, outside: outside.map(element => element.outerHTML.slice(0, 200)),
    smallest: Math.min(...sizes), drawings: drawings.length, hits: hits, text: inside.body.innerText,
    scripts: inside.querySelectorAll("script").length,
    ground: inside.defaultView.getComputedStyle(inside.body).backgroundColor,
    headline: inside.querySelector(".headline") ? box(inside.querySelector(".headline")).bottom : null,
  }});
}});
</script></body>"""


@dataclass(frozen=True)
class Look:
    """What was seen at one width. ``found`` has the measures, ``console`` the lines that the page caused there."""

    found: dict[str, Any]
    console: tuple[str, ...]


def look(page: str, width: int, directory: Path, *, dark: bool = False) -> Look:
    """Lay ``page`` out in a window of ``width`` pixels."""
    wrapper = directory / f"at-{width}-{dark}.html"
    wrapper.write_text(_WRAPPER.format(width=width, page=html.escape(page)), encoding="utf-8")
    ran = _chromium(directory, "--dump-dom", *([DARK] if dark else []), f"file://{wrapper}")
    found = re.search(r'data-found="([^"]*)"', ran.stdout)
    assert found is not None, ran.stderr[-2000:]
    console = tuple(line for line in ran.stderr.splitlines() if "CONSOLE" in line)
    return Look(json.loads(html.unescape(found.group(1))), console)


def complaints(page: Path, directory: Path) -> list[str]:
    """What the console says when the page itself is opened."""
    ran = _chromium(directory, "--dump-dom", f"file://{page}")
    assert "</html>" in ran.stdout, ran.stderr[-2000:]
    return [line for line in ran.stderr.splitlines() if "CONSOLE" in line]


def _chromium(directory: Path, *words: str) -> subprocess.CompletedProcess[str]:
    program = next(filter(None, map(shutil.which, PROGRAMS)), PROGRAMS[0])
    command = [program, *FLAGS, f"--user-data-dir={directory / 'profile'}", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
