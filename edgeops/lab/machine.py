"""Power of one simulated host: systemd as process 1 in a container of systemd-nspawn, on the lab machine's network.

The options are those of systemd-nspawn(1). ``--kill-signal=SIGRTMIN+4`` makes SIGTERM a clean power-off (systemd(1),
"Signals").
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

from edgeops.errors import EdgeopsError
from edgeops.lab.cache import Report
from edgeops.lab.cgroups import in_own_group
from edgeops.lab.places import HostPlaces
from edgeops.lab.programs import run
from edgeops.lab.records import PORT, HostRecord, Process, answers, process

BOOT_LIMIT_S = 60
STOP_LIMIT_S = 25
INOTIFY_INSTANCES = 8192
_INOTIFY = Path("/proc/sys/fs/inotify/max_user_instances")


def boot(record: HostRecord, places: HostPlaces) -> HostRecord:
    """Start the host and wait for its sshd and all units; returns the record with its processes.

    Raises EdgeopsError with the last lines of the boot when it does not come up.
    """
    if answers(record.address, PORT):
        raise EdgeopsError(f"something else answers on {record.address}:{PORT}", f"See `ss -ltnp src {record.address}`")
    with places.boot_log.open("w") as log:
        child = subprocess.Popen(
            _command(record, places),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    started = replace(record, process=process(child.pid))
    deadline = time.monotonic() + BOOT_LIMIT_S
    while not answers(record.address, PORT):
        if child.poll() is not None or time.monotonic() > deadline:
            power_off(started)
            raise EdgeopsError(f"{record.name} did not boot:\n{_tail(places.boot_log)}")
        time.sleep(0.05)
    started = replace(started, init=process(_child(child.pid)))
    _settled(started)
    return started


def allow_many(report: Report) -> None:
    """Each systemd watches files with some inotify instances of root's, of which many kernels allow 128 in all."""
    allowed = int(_INOTIFY.read_text())
    if allowed < INOTIFY_INSTANCES:
        report(f"raising fs.inotify.max_user_instances from {allowed} to {INOTIFY_INSTANCES}")
        _INOTIFY.write_text(f"{INOTIFY_INSTANCES}\n")


def power_off(record: HostRecord) -> None:
    """Shut the host down cleanly; when it does not obey, kill it. Nothing happens when it does not run."""
    if record.process is not None and record.process.alive:
        for number, limit in ((signal.SIGTERM, STOP_LIMIT_S), (signal.SIGTERM, 5), (signal.SIGKILL, 5)):
            if _ended(record.process, number, limit):
                break
    if record.init is not None and record.init.alive:
        _ended(record.init, signal.SIGKILL, 10)
    if record.processes:
        numbers = ", ".join(str(one.pid) for one in record.processes)
        raise EdgeopsError(f"{record.name} does not stop: process {numbers} is still there after SIGKILL")


def stop_strays(places: HostPlaces) -> None:
    """End containers of this host that its record does not know: it was lost or damaged."""
    for directory in Path("/proc").glob("[0-9]*"):
        found = process(int(directory.name))
        if found is not None and _is_container_of(directory, places):
            _ended(found, signal.SIGTERM, STOP_LIMIT_S) or _ended(found, signal.SIGKILL, 5)


def _is_container_of(directory: Path, places: HostPlaces) -> bool:
    try:
        words = (directory / "cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return False
    return Path(words[0]).name == "systemd-nspawn" and str(places.merged) in words


def _command(record: HostRecord, places: HostPlaces) -> list[str]:
    identity = places.merged / "etc/lab/sys"
    container = [
        *("systemd-nspawn", "--quiet", "--directory", str(places.merged), "--boot", "--register=no", "--keep-unit"),
        *(f"--machine={record.name}", f"--hostname={record.name}", "--console=pipe", "--kill-signal=SIGRTMIN+4"),
        *("--link-journal=no", "--resolv-conf=off", "--timezone=off"),
        *(f"--bind-ro={identity}/class:/sys/class", f"--bind-ro={identity}/firmware:/sys/firmware"),
        f"--bind-ro={record.wheels}:/opt/lab/wheels",
    ]
    return in_own_group(container, places)


def _settled(record: HostRecord) -> None:
    try:
        _inside(record, "systemctl", "is-system-running", "--wait")
    except EdgeopsError:
        failed = _inside(record, "systemctl", "--failed", "--plain", "--no-legend").split()[:1]
        said = (
            _inside(record, "journalctl", "--no-pager", "-b", "-o", "cat", "-n", "10", "-u", *failed) if failed else ""
        )
        power_off(record)
        raise EdgeopsError(f"{record.name} booted, but not all of it started: {' '.join(failed)}\n{said}") from None


def _inside(record: HostRecord, *words: str) -> str:
    assert record.init is not None
    namespaces = ("--mount", "--uts", "--ipc", "--net", "--pid")
    return run("nsenter", "--target", str(record.init.pid), *namespaces, "--", *words)


def _child(pid: int) -> int:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(children[0])


def _ended(process: Process, number: signal.Signals, limit: float) -> bool:
    try:
        handle = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return True
    try:
        signal.pidfd_send_signal(handle, number)
        waiting = select.poll()  # select() knows no descriptor above 1023, and a lab of many hosts gets there
        waiting.register(handle, select.POLLIN)
        return bool(waiting.poll(limit * 1000))
    finally:
        os.close(handle)


def _tail(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-15:])
