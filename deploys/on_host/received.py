"""Runs on the host, as root: is what was sent there, byte for byte? Moves it to its place when it is.

The plan: ``verb`` (look, prepare, accept), ``place`` where the files belong, ``incoming`` where they arrive, ``login``
who sends them, ``owner`` (user:group by number) whose they become, ``files`` as {relative name: sha256}. Prints one
JSON object: ``wrong`` lists the names that are missing or differ, ``free`` is the room left there in bytes.
"""

import hashlib
import json
import os
import pwd
import shutil
import subprocess
import sys


def sha256_of(path):
    summary = hashlib.sha256()
    with open(path, "rb") as file:
        for piece in iter(lambda: file.read(1 << 20), b""):
            summary.update(piece)
    return summary.hexdigest()


def is_right(directory, name, wanted):
    path = os.path.join(directory, name)
    try:
        return not os.path.islink(path) and sha256_of(path) == wanted
    except OSError:
        return False


def wrong_in(directory, files):
    return sorted(name for name, wanted in files.items() if not is_right(directory, name, wanted))


def existing(path):
    """The nearest directory above that is there."""
    while not os.path.isdir(path):
        path = os.path.dirname(path)
    return path


def look(plan):
    return {"wrong": wrong_in(plan["place"], plan["files"]), "there": os.path.lexists(plan["place"])}


def prepare(plan):
    """A directory that the sender may write to, with what an earlier transfer left; wheels that are bad come back."""
    incoming, owner = plan["incoming"], pwd.getpwnam(plan["login"])
    if plan["renew"] and os.path.isdir(plan["place"]) and not os.path.isdir(incoming):
        os.rename(plan["place"], incoming)
    os.makedirs(os.path.dirname(incoming), mode=0o755, exist_ok=True)
    os.makedirs(incoming, mode=0o700, exist_ok=True)
    subprocess.run(["chown", "-RhP", f"{owner.pw_uid}:{owner.pw_gid}", incoming], check=True)
    return {"rsync": shutil.which("rsync") is not None, "free": shutil.disk_usage(incoming).free}


def accept(plan):
    """Root's from now on, so that nothing changes between looking and moving."""
    incoming = plan["incoming"]
    subprocess.run(["chown", "-RhP", plan["owner"], incoming], check=True)
    wrong = wrong_in(incoming, plan["files"])
    if not wrong:
        subprocess.run(["chmod", "-R", "u=rwX,go=rX", incoming], check=True)
        os.rename(incoming, plan["place"])
    return {"wrong": wrong}


if __name__ == "__main__":
    given = globals()["PLAN"]
    verbs = {"look": look, "prepare": prepare, "accept": accept}
    sys.stdout.write(json.dumps(dict(verbs[given["verb"]](given), event=given["verb"])) + "\n")
