"""Ctrl-C, a job's time limit and a closed terminal end the waiting, whichever greenlet happens to run."""

from __future__ import annotations

import os
import signal

import gevent
import pytest

from edgeops.engine import runner

ENDINGS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def send(number: signal.Signals) -> str:
    os.kill(os.getpid(), number)
    return "went on"


@pytest.mark.parametrize("number", ENDINGS)
def test_it_reaches_the_one_that_waits_and_the_other_goes_on(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with runner._quiet_interrupts():
        other = gevent.spawn(send, number)
        with pytest.raises(KeyboardInterrupt):
            gevent.sleep(20)
        assert other.get(timeout=20) == "went on"
    assert signal.getsignal(number) == before


def test_it_reaches_the_one_that_waits_when_that_one_is_running() -> None:
    with runner._quiet_interrupts(), pytest.raises(KeyboardInterrupt):
        send(signal.SIGTERM)


def test_a_signal_that_was_to_be_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with runner._quiet_interrupts():
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
