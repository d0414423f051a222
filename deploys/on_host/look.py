"""Runs on the host, as root: the running service, and the packages of its release, as they are. Changes nothing.

What is declared and recorded is compared with it elsewhere. Prints one JSON object.
"""

import json
import os
import re
import subprocess
import sys
from importlib import metadata

MOST_BYTES = 1 << 20


def text_of(path):
    try:
        with open(path, "rb") as file:
            return file.read(MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return None


def service(unit):
    """Its process, and since when it runs or does not, in UTC: systemctl tells moments in its own time zone."""
    words = ["systemctl", "show", unit, "-p", "MainPID,ActiveEnterTimestamp,InactiveEnterTimestamp"]
    environment = dict(os.environ, TZ="UTC", LC_ALL="C")
    said = subprocess.run(words, stdout=subprocess.PIPE, check=False, env=environment).stdout
    return dict(line.split("=", 1) for line in said.decode("utf-8", "replace").splitlines() if "=" in line)


def process(pid, releases):
    """The words of its command line, and the release whose files it has mapped; None where none runs."""
    words = text_of(f"/proc/{pid}/cmdline") if pid else None
    if not words:
        return None
    mapped = re.search(re.escape(releases) + r"/([^/\n]+)/", text_of(f"/proc/{pid}/maps") or "")
    return {"pid": pid, "command": words.split("\0")[:-1], "release": mapped.group(1) if mapped else None}


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def installed(venv, wanted):
    """Versions of ``wanted`` as Python in ``venv`` finds them: its own packages first, then the system's."""
    own = [os.path.join(venv, "lib", name, "site-packages") for name in sorted(names_in(os.path.join(venv, "lib")))]
    found = {}
    for distribution in metadata.distributions(path=own + [path for path in sys.path if path]):
        name = distribution.metadata["Name"]
        if name and normal(name) in wanted:
            found.setdefault(normal(name), distribution.version)
    return found


def names_in(directory):
    try:
        return os.listdir(directory)
    except OSError:
        return []


def packages(release):
    """What was installed with the release (None: not recorded), and those packages' versions now."""
    try:
        recorded = json.loads(text_of(os.path.join(release, "closure.json")) or "")
    except ValueError:
        recorded = None
    if not isinstance(recorded, dict):
        return None
    return {"recorded": recorded, "now": installed(os.path.join(release, "venv"), set(recorded))}


def look(plan):
    deployment, here = plan["deployment"], service(plan["unit"])
    pid = here.pop("MainPID", "0")
    return {
        "event": "seen",
        "process": process(int(pid) if pid.isdigit() else 0, plan["releases"]),
        "moments": here,
        "packages": packages(os.path.realpath(plan["current"])),
        "verified_unit": text_of(os.path.join(deployment, plan["unit"])) if deployment else None,
        "tuning": text_of(plan["tuning"]),
        "trial": (text_of(os.path.join(plan["trial"], "who")) or "").strip() if os.path.isdir(plan["trial"]) else None,
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(look(globals()["PLAN"])) + "\n")
