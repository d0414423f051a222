"""Makes docs/deploy.svg, the README's picture, of what the program really printed.

    script -qec 'stty cols 100; edgeops deploy spark-01 2>/dev/null' /dev/null | python docs/picture.py docs/deploy.svg

Reads a terminal's output with its colours from stdin.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

WIDTH = 100


def main(target: Path, printed: str) -> None:
    console = Console(record=True, width=WIDTH, file=sys.stderr, force_terminal=True)
    console.print(Text("$ edgeops deploy spark-01", style="bold"))
    console.print(Text.from_ansi(printed.replace("\r\n", "\n").rstrip()))
    drawing = console.export_svg(title="edgeops, on a simulated host")
    # The reader's own monospaced font instead of one that is fetched from somewhere; blanks kept by every viewer.
    plain = re.sub(r"@font-face \{.*?\}\s*", "", drawing, flags=re.DOTALL)
    target.write_text(plain.replace("<svg ", '<svg xml:space="preserve" ', 1), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.stdin.read())
