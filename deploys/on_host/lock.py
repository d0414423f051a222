"""Runs on the host, as root: the lock between operators. Verbs: acquire, renew, release, show. Prints one JSON object.

The lock is a file with its holder's words and a heartbeat. It expires by itself: a holder that has not renewed it for
``stale_s`` seconds of this machine's own uptime, or since an earlier boot, holds nothing any more.
"""

import fcntl
import json
import os
import sys
import time
from contextlib import contextmanager, suppress


@contextmanager
def alone(directory):
    """Nobody else reads or writes the lock meanwhile; the kernel frees this when we end, however that is."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def boot():
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return file.read().strip()


def last_holder(plan):
    """Who took the lock last and has not released it, however long ago; None where nobody did."""
    try:
        with open(plan["path"], encoding="utf-8") as file:
            entry = json.load(file)
        return dict(entry, age_s=time.monotonic() - entry["beat"], token=str(entry["token"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def holder(plan):
    """Who holds the lock now, with ``age_s`` since the last heartbeat; None where nobody does."""
    entry = last_holder(plan)
    current = entry and entry.get("boot") == boot() and entry["age_s"] < plan["stale_s"]
    return entry if current else None


def write(plan):
    draft = plan["path"] + ".new"
    with open(draft, "w", encoding="utf-8") as file:
        json.dump(dict(plan["entry"], beat=time.monotonic(), boot=boot()), file)
    os.chmod(draft, 0o644)
    os.rename(draft, plan["path"])


def acquire(plan):
    """Take it where it is free, stale, our own run's (which is resumed), or the very one that is to be stolen."""
    found = holder(plan)
    ours = found and all(found.get(key) == plan["entry"][key] for key in ("run", "host"))
    stolen = found and found.get("token") == plan.get("steal")
    if found and not ours and not stolen:
        return {"event": "held", "holder": found}
    write(plan)
    return {"event": "locked"}


def renew(plan):
    """A holder that was late keeps what nobody took meanwhile; what was taken, be it free again, is lost."""
    found = last_holder(plan)
    if not found or found["token"] != plan["entry"]["token"]:
        return {"event": "lost", "holder": found or {}}
    write(plan)
    return {"event": "locked"}


def release(plan):
    found = holder(plan)
    if found and found.get("token") == plan["entry"]["token"]:
        os.unlink(plan["path"])
    return {"event": "free"}


def show(plan):
    found = holder(plan)
    return {"event": "held", "holder": found} if found else {"event": "free"}


def main(plan):
    directory = os.path.dirname(plan["path"])
    if plan["verb"] == "acquire":
        os.makedirs(directory, mode=0o755, exist_ok=True)
    elif not os.path.isdir(directory):  # its own holder takes it away, with all that is edgeops'
        return {"event": "free"}
    with alone(directory):
        answer = {"acquire": acquire, "renew": renew, "release": release, "show": show}[plan["verb"]](plan)
    if plan["verb"] == "release":
        with suppress(OSError):  # where nothing was deployed, the lock's directory goes as it came
            os.rmdir(directory)
    return answer


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(globals()["PLAN"])) + "\n")
