"""Programs that work for us end with us."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path

import gevent
import pytest

from edgeops.distribution.child import run_child

SLOW = ["sh", "-c", 'echo $$ >"$0"; exec sleep 600']
PARENT = """
from gevent import monkey
monkey.patch_all()
import sys
from edgeops.distribution.child import run_child
run_child(sys.argv[1:])
"""


@pytest.fixture
def said(tmp_path: Path) -> Path:
    """Where the slow program says its process id, as soon as it is there."""
    os.mkfifo(tmp_path / "said")
    return tmp_path / "said"


def ends(process: int) -> bool:
    """Whether the process ends within a minute."""
    return bool(select.select([process], [], [], 60)[0])


def test_what_it_says_and_how_it_ends_are_values() -> None:
    ended = run_child([sys.executable, "-c", "import sys; print(sys.stdin.read()); sys.exit(3)"], "given")
    assert (ended.rc, ended.out, ended.err) == (3, "given\n", "")


def test_other_hosts_go_on_meanwhile_and_an_interruption_ends_it(said: Path) -> None:
    job = gevent.spawn(run_child, [*SLOW, str(said)])
    process = os.pidfd_open(gevent.get_hub().threadpool.apply(lambda: int(said.read_text())))
    job.kill()
    assert ends(process)


def test_it_ends_with_a_process_that_was_killed(said: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT, *SLOW, str(said)])
    process = os.pidfd_open(int(said.read_text()))
    parent.kill()
    assert ends(process)
    parent.wait()
