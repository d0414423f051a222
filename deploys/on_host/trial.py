"""Runs on the host, as root: serve something else for a while, with the way back prepared first.

Verbs: ``look``, ``begin``, ``launch``, ``restore``, ``end``. All that is written lies in /run, so a reboot alone
brings production back; so does the timer that ``begin`` starts, unless it is wound up again in time. Production's own
files are never written. Prints one JSON object.
"""

import json
import os
import shutil
import subprocess
import sys
import time

RESTORE = """\
# Written by edgeops: brings the production service back. Harmless when run twice. "forget": and leave nothing behind.
rm -f {drop_in}
rmdir --ignore-fail-on-non-empty {drop_in_directory} 2>/dev/null
systemctl daemon-reload
systemctl reset-failed {unit} 2>/dev/null
systemctl restart {unit}
rc=$?
[ "$1" != forget ] || rm -rf {directory}
exit $rc
"""


def run(*words):
    """(rc, last line of what was said)"""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
    return done.returncode, lines[-1] if lines else ""


def text_of(path, binary=False):
    try:
        with open(path, "rb") as file:
            content = file.read(1 << 20)
    except OSError:
        return b"" if binary else ""
    return content if binary else content.decode("utf-8", "replace")


def show(unit, name):
    return run("systemctl", "show", unit, "-p", name, "--value")[1].strip()


def command_line(unit):
    """The words of the running service's process; empty where none runs."""
    words = text_of("/proc/" + (show(unit, "MainPID") or "0") + "/cmdline", binary=True)
    return [word.decode("utf-8", "replace") for word in words.split(b"\0")[:-1]]


def overriding(unit, ours):
    """Drop-ins of others that say what is started."""
    paths = [path for path in show(unit, "DropInPaths").split() if path != ours]
    return [path for path in paths if any(line.strip().startswith("ExecStart=") for line in text_of(path).split("\n"))]


def look(plan):
    """What runs, and who tries something already."""
    return {
        "event": "found",
        "command": command_line(plan["unit"]),
        "active": show(plan["unit"], "ActiveState"),
        "overriding": overriding(plan["unit"], plan["drop_in"]),
        **left(plan),
        "who": text_of(os.path.join(plan["directory"], "who")).strip(),
        "bundles": bundles(plan["cache"]),
    }


def left(plan):
    """``busy``: someone's way back is armed or at work. ``stale``: what a run left behind that nobody will put back."""
    service = plan["timer"].rsplit(".", 1)[0] + ".service"
    states = [show(unit, "ActiveState") for unit in (plan["timer"], service)]
    busy = any(state in ("active", "activating", "deactivating") for state in states)
    return {"busy": busy, "stale": not busy and any(map(os.path.exists, (plan["directory"], plan["drop_in"])))}


def bundles(cache):
    """Engines that are built."""
    found = []
    for folder, folders, _ in os.walk(os.path.join(cache, "engines")):
        deep = os.path.relpath(folder, cache).count(os.sep) == 1
        if deep:
            found += [os.path.join(folder, name) for name in folders if not name.startswith(".")]
            folders[:] = []
    return sorted(found)


def begin(plan):
    """Prepare the way back and wind up its timer, before anything is changed."""
    try:
        os.mkdir(plan["directory"], 0o700)
    except FileExistsError:
        return {"event": "busy", "who": text_of(os.path.join(plan["directory"], "who")).strip()}
    script = os.path.join(plan["directory"], "restore.sh")
    write(script, restoring(plan))
    write(os.path.join(plan["directory"], "who"), plan["who"] + "\n")
    # Nothing in these words may need quoting: systemd 252 writes transient units with escapes that it cannot read again
    # after a daemon-reload.
    after = [f"--on-active={plan['seconds']}", "--timer-property=AccuracySec=1s"]
    name = "--unit=" + plan["timer"].rsplit(".", 1)[0]
    rc, said = run("systemd-run", "--quiet", "--collect", name, *after, "/bin/sh", script, "forget")
    if rc:
        shutil.rmtree(plan["directory"], ignore_errors=True)
        return {"event": "failed", "error": "the timer for the way back could not be started: " + said}
    return {"event": "begun"}


def restoring(plan):
    places = {"drop_in_directory": os.path.dirname(plan["drop_in"])}
    return RESTORE.format(**{name: plan[name] for name in ("drop_in", "unit", "directory")}, **places)


def launch(plan):
    """Start the service with another command line. Only where the way back is prepared."""
    if run("systemctl", "is-active", "--quiet", plan["timer"])[0]:
        return {"event": "failed", "error": "the timer for the way back does not run any more"}
    os.makedirs(os.path.dirname(plan["drop_in"]), mode=0o755, exist_ok=True)
    write(plan["drop_in"], plan["text"], 0o644)
    for words in (("daemon-reload",), ("reset-failed", plan["unit"]), ("restart", plan["unit"])):
        rc, said = run("systemctl", *words)
        if rc and words[0] != "reset-failed":
            return {"event": "failed", "error": said}
    return {"event": "launched", "overriding": overriding(plan["unit"], plan["drop_in"])}


def restore(plan):
    """Production again, now. The timer stays, in case this is cut off."""
    rc, said = run("/bin/sh", "-c", restoring(plan))
    return {"event": "failed", "error": said} if rc else {"event": "restored"}


def end(plan):
    """The way back is not needed any more."""
    run("systemctl", "stop", plan["timer"])
    shutil.rmtree(plan["directory"], ignore_errors=True)
    return {"event": "ended"}


def write(path, text, mode=0o600):
    draft = f"{path}.{int(time.monotonic() * 1e6)}.new"
    with open(draft, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(draft, mode)
    os.rename(draft, path)


if __name__ == "__main__":
    given = globals()["PLAN"]
    verbs = {"look": look, "begin": begin, "launch": launch, "restore": restore, "end": end}
    sys.stdout.write(json.dumps(verbs[given["verb"]](given)) + "\n")
