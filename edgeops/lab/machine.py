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
from pathlib import Path

from edgeops.errors import EdgeopsError
from edgeops.lab.places import HostPlaces
from edgeops.lab.programs import run
from edgeops.lab.records import PORT, HostRecord, Process, answers

BOOT_LIMIT_S = 60
STOP_LIMIT_S = 25


def boot(record: HostRecord, places: HostPlaces) -> HostRecord:
    """Start the host and wait for its sshd and all units; returns the record with the process.

    Raises EdgeopsError with the last lines of the boot when it does not come up.
    """
    with places.boot_log.open("w") as log:
        child = subprocess.Popen(
            _command(record, places),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    started = record.started(child.pid)
    deadline = time.monotonic() + BOOT_LIMIT_S
    while not answers(record.address, PORT):
        if child.poll() is not None or time.monotonic() > deadline:
            power_off(started)
            raise EdgeopsError(f"{record.name} did not boot:\n{_tail(places.boot_log)}")
        time.sleep(0.05)
    _settled(child.pid)
    return started


def power_off(record: HostRecord) -> None:
    """Shut the host down cleanly; when it does not obey, kill it. Nothing happens when it does not run."""
    if record.process is None or not record.process.alive:
        return
    for number, limit in ((signal.SIGTERM, STOP_LIMIT_S), (signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        if _ended(record.process, number, limit):
            return
    raise EdgeopsError(f"{record.name} does not stop", f"process {record.process.pid} is still there after SIGKILL")


def _command(record: HostRecord, places: HostPlaces) -> list[str]:
    identity = places.merged / "etc/lab/sys"
    container = [
        *("systemd-nspawn", "--quiet", "--directory", str(places.merged), "--boot", "--register=no", "--keep-unit"),
        *(f"--machine={record.name}", f"--hostname={record.name}", "--console=pipe", "--kill-signal=SIGRTMIN+4"),
        *("--link-journal=no", "--resolv-conf=off", "--timezone=off"),
        *(f"--bind-ro={identity}/class:/sys/class", f"--bind-ro={identity}/firmware:/sys/firmware"),
        f"--bind-ro={record.wheels}:/opt/lab/wheels",
    ]
    if not Path("/run/systemd/system").is_dir():
        return container
    unit = f"edgeops-lab-{places.state.name}-{record.name}"
    return ["systemd-run", "--quiet", "--scope", "--collect", f"--unit={unit}", "--property=Delegate=yes", *container]


def _settled(pid: int) -> None:
    init = _child(pid)
    command = ["systemctl", "is-system-running", "--wait"]
    try:
        run("nsenter", "--target", str(init), "--mount", "--uts", "--ipc", "--net", "--pid", "--", *command)
    except EdgeopsError as error:
        raise EdgeopsError(f"a unit of the simulated host did not start: {error.message}") from None


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
        return bool(select.select([handle], [], [], limit)[0])
    finally:
        os.close(handle)


def _tail(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-15:])
