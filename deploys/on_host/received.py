"""Runs on the host, as root: is what was sent there, byte for byte? Moves it to its place when it is.

The plan: ``verb`` (look, prepare, accept), ``place`` where the files belong, ``incoming`` where they arrive, ``login``
who sends them, ``owner`` (as chown says it) whose they become, ``files`` as {relative name: sha256}, ``renew`` whether
what is in the place may be replaced. Prints one JSON object: ``wrong`` lists the names that are missing or differ,
``free`` is the room left in bytes, where they arrive or belong, whichever is less.
"""

import errno
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
    place, incoming, login = plan["place"], plan["incoming"], pwd.getpwnam(plan["login"])
    if plan["renew"] and os.path.isdir(place) and not os.path.isdir(incoming):
        try_to_rename(place, incoming)
    os.makedirs(os.path.dirname(incoming), mode=0o755, exist_ok=True)
    os.makedirs(incoming, mode=0o700, exist_ok=True)
    own(incoming, f"{login.pw_uid}:{login.pw_gid}")
    free = min(shutil.disk_usage(existing(path)).free for path in (incoming, place))
    return {"rsync": shutil.which("rsync") is not None, "free": free}


def own(path, owner):
    subprocess.run(["chown", "-RhP", owner, path], check=True)


def make_directory(path, owner):
    """With those above that are missing; they are the owner's too."""
    if not os.path.isdir(path):
        make_directory(os.path.dirname(path), owner)
        os.mkdir(path, 0o755)
        own(path, owner)


def try_to_rename(source, target):
    """Whether it could be done at once: not from one file system to another."""
    try:
        os.rename(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        return False
    return True


def move(incoming, place):
    """By one rename in the end, whatever file system it comes from."""
    if not try_to_rename(incoming, place):
        draft = os.path.join(os.path.dirname(place), "." + os.path.basename(place) + ".new")
        shutil.rmtree(draft, ignore_errors=True)
        subprocess.run(["cp", "-aT", "--", incoming, draft], check=True)
        os.rename(draft, place)
        shutil.rmtree(incoming)


def drop_remains(incoming):
    """What a transfer that was cut off with its host has left: rsync's halves, whose names begin with a dot."""
    for folder, folders, names in os.walk(incoming):
        for name in [name for name in names if name.startswith(".")]:
            os.unlink(os.path.join(folder, name))
        for name in [name for name in folders if name.startswith(".")]:
            shutil.rmtree(os.path.join(folder, name))
        folders[:] = [name for name in folders if not name.startswith(".")]


def accept(plan):
    """The owner's from now on, so that nothing changes between looking and moving."""
    incoming = plan["incoming"]
    own(incoming, plan["owner"])
    wrong = wrong_in(incoming, plan["files"])
    if not wrong:
        drop_remains(incoming)
        subprocess.run(["chmod", "-R", "u=rwX,go=rX", incoming], check=True)
        make_directory(os.path.dirname(plan["place"]), plan["owner"])
        if plan["renew"] and os.path.isdir(plan["place"]):
            shutil.rmtree(plan["place"])
        move(incoming, plan["place"])
    return {"wrong": wrong}


if __name__ == "__main__":
    given = globals()["PLAN"]
    verbs = {"look": look, "prepare": prepare, "accept": accept}
    sys.stdout.write(json.dumps(dict(verbs[given["verb"]](given), event=given["verb"])) + "\n")
