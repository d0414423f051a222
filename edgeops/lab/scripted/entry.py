"""The console scripts of the stand-in wheels: the vendor's server on the scripted engine, under the name that its
version has.
"""

from __future__ import annotations

import importlib
import sys
from typing import NoReturn

from . import builder

_VERSION = "tensorrt_edgellm._version"


def command() -> None:
    """``trtedge`` of 0.11.1 and ``edgellm`` of 0.12.0: ``serve`` works, the other commands are not part of the
    stand-in.
    """
    program, words = sys.argv[0].rpartition("/")[2], sys.argv[1:]
    if words[:1] == ["serve"]:
        sys.argv = [f"{sys.argv[0]} serve", *words[1:]]
        serve()
    elif words[:1] == ["--version"]:
        _say(f"{program} {importlib.import_module(_VERSION).__version__} (stand-in of edgeops lab)")
    elif words[:1] in ([], ["--help"], ["-h"]):
        _say(f"usage: {program} serve MODEL …\n\nStand-in of edgeops lab: only `serve` is there.")
    else:
        _refuse(f"{program}: the stand-in of edgeops lab has no command {words[0]!r}, only serve")


def serve() -> None:
    """``tensorrt-edgellm-serve`` of 0.11.0, and ``serve`` of the later ones."""
    seam = importlib.import_module("experimental.builder.cli")
    if not hasattr(seam, "main"):
        _refuse("the vendor's builder has no main(): this stand-in does not fit its version")
    vars(seam)["main"] = builder.build
    importlib.import_module("experimental.server.cli").main()


def _say(text: str) -> None:
    print(text)  # noqa: T201


def _refuse(text: str) -> NoReturn:
    sys.stderr.write(text + "\n")
    sys.exit(2)
