"""What a person reads after a deploy."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from edgeops.deployment.report import HostReport, Trouble, document
from edgeops.report import deployment


def printed(*reports: HostReport, **changes: Any) -> str:
    console = Console(file=io.StringIO(), width=80, highlight=False)
    deployment.show(console, {**document("run", reports), **changes}, (), dry_run=False)
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_hosts_of_which_the_same_is_said_are_told_together_in_their_order() -> None:
    names = [f"spark-{number:02}" for number in range(1, 31)]
    good = [HostReport(name, "dgx-spark", outcome="deployed", changes=["restart trtedge"]) for name in names]
    good[11].outcome, good[11].error = "failed", Trouble("ready", "it died", "look there")
    lines = printed(*good).splitlines()
    assert lines[0] == f"{', '.join(name for name in names if name != 'spark-12')}  deployed  dgx-spark"
    assert lines[1] == "  restart trtedge"
    assert lines[2] == "spark-12  failed  dgx-spark"
    assert lines[-1] == "30 hosts: 29 deployed, 1 failed"


def test_what_differs_is_told_apart() -> None:
    text = printed(HostReport("a", outcome="unchanged", release="1"), HostReport("b", outcome="unchanged", release="2"))
    assert text.count("unchanged") == 3
    assert text.index("release 1") < text.index("b  unchanged") < text.index("release 2")
