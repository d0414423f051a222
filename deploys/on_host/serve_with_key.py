"""Runs in a release's venv: starts the vendor's server with an API key that no process list can show.

The server takes its key as a command-line flag only. systemd hands the key over as a credential; it joins
``sys.argv`` inside the process, where /proc/PID/cmdline does not see it. Arguments: the console script's path, then
its own arguments.
"""

import os
import sys
from importlib.metadata import entry_points
from pathlib import Path


def main():
    script = Path(sys.argv[1]).name
    key = Path(os.environ["CREDENTIALS_DIRECTORY"], "api_key").read_text(encoding="utf-8").strip()
    if not key:
        raise SystemExit("the API key is empty")
    found = [entry for entry in entry_points(group="console_scripts") if entry.name == script]
    if not found:
        raise SystemExit(f"no console script {script} in this release")
    sys.argv = [script, *sys.argv[2:], "--api-key", key]
    raise SystemExit(found[0].load()())


if __name__ == "__main__":
    main()
