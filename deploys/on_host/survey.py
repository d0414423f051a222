"""Runs on the host, as root: what is there of ours, in one answer. Changes nothing.

The plan names the files, the release and the checkpoint directories to look at. Prints one JSON object.
"""

import glob
import hashlib
import json
import os
import pwd
import subprocess
import sys

MOST_CONFIG_BYTES = 1 << 20
SAMPLES = 64
SAMPLE_BYTES = 4096


def text_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(MOST_CONFIG_BYTES)
    except OSError:
        return None


def sha256_of(path):
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None


def user_exists(name):
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def link_of(path):
    try:
        return os.readlink(path)
    except OSError:
        return None


def sample_of(path, size):
    """A digest of the content: all of a small file, evenly spread blocks of a large one.

    Weights that were trained again differ everywhere, and have the same size; reading all of them takes too long.
    """
    digest, step = hashlib.sha256(), max(size // SAMPLES, SAMPLE_BYTES)
    try:
        with open(path, "rb") as file:
            for offset in [*range(0, size, step), max(size - SAMPLE_BYTES, 0)]:
                file.seek(offset)
                digest.update(file.read(SAMPLE_BYTES))
    except OSError as error:
        return error.strerror
    return digest.hexdigest()


def files_below(directory):
    """(relative name, bytes, sample) of every file; what a downloader keeps for itself begins with a dot."""
    for folder, folders, names in os.walk(directory, followlinks=True):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = os.path.join(folder, name)
            if not name.startswith(".") and os.path.isfile(path):
                size = os.path.getsize(path)
                yield os.path.relpath(path, directory), size, sample_of(path, size)


def checkpoint(directory):
    """``config`` (text), ``fingerprint`` and ``bytes``, and ``marker``: what the download said when it was complete."""
    config = text_of(os.path.join(directory, "config.json"))
    if config is None:
        return None
    files = sorted(files_below(directory))
    content = json.dumps([hashlib.sha256(config.encode("utf-8", "replace")).hexdigest(), files])
    return {
        "config": config,
        "fingerprint": hashlib.sha256(content.encode()).hexdigest(),
        "bytes": sum(size for _, size, _ in files),
        "marker": text_of(os.path.join(directory, ".edgeops.json")),
    }


def staged(directory):
    """Names below ``directory``: the revisions of a checkpoint that are here."""
    try:
        return sorted(name for name in os.listdir(directory) if not name.startswith("."))
    except OSError:
        return []


def is_active(unit):
    answer = subprocess.run(["systemctl", "is-active", unit], stdout=subprocess.PIPE, check=False)
    return answer.stdout.strip() == b"active"


def said_of(unit, name):
    words = ["systemctl", "show", unit, "-p", name, "--value"]
    return subprocess.run(words, stdout=subprocess.PIPE, check=False).stdout.decode("utf-8", "replace").strip()


def drop_ins(unit):
    """The administrator's own files for the unit, by path: those that systemd has read, and those that it would."""
    paths = {*said_of(unit, "DropInPaths").split(), *glob.glob(f"/etc/systemd/system/{unit}.d/*.conf")}
    found = {path: text_of(path) for path in sorted(paths, key=os.path.basename)}
    return {path: text for path, text in found.items() if text is not None}


def survey(plan):
    return {
        "event": "found",
        "state": text_of(plan["state"]),
        "active": is_active(plan["service"]),
        "deployments": {
            name: text_of(os.path.join(plan["deployments"], name, "state.json")) for name in staged(plan["deployments"])
        },
        "unit": text_of(plan["unit"]),
        "drop_ins": drop_ins(plan["service"]),
        "unread": said_of(plan["service"], "NeedDaemonReload") == "yes",
        "environment": text_of(plan["environment"]),
        "key_sha256": sha256_of(plan["key"]),
        "current": link_of(plan["current"]),
        "user": user_exists(plan["user"]),
        "release": text_of(plan["release"]) if plan["release"] else None,
        "releases": staged(plan["releases"]),
        "trial": os.path.exists(plan["trial"]),
        "undo": staged(plan["undo"]) if os.path.isdir(plan["undo"]) else None,
        "checkpoints": {directory: checkpoint(directory) for directory in plan["checkpoints"]},
        "revisions": {directory: staged(directory) for directory in plan["revisions"]},
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(survey(globals()["PLAN"])) + "\n")
