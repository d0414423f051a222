"""Runs on the host: several of our programs one after the other in one interpreter, for the price of one command.

The plan holds their sources. Each prints JSON lines; they come back as one object a program. A program that fails says
so in its own answer and stops no other.
"""

import contextlib
import io
import json
import sys
import traceback


def answer(name, given):
    """What one program printed, line by line, and how it ended: ``error`` is empty where it ended well."""
    said, error = io.StringIO(), ""
    try:
        with contextlib.redirect_stdout(said):
            exec(compile(given["source"], given["name"], "exec"), {"__name__": "__main__", "PLAN": given["plan"]})  # noqa: S102
    except BaseException as reason:  # noqa: BLE001  a program may even end itself with SystemExit
        error = traceback.format_exception_only(type(reason), reason)[-1].strip()
    return {"program": name, "lines": said.getvalue().splitlines(), "error": error}


if __name__ == "__main__":
    for one, content in globals()["PLAN"].items():
        sys.stdout.write(json.dumps(answer(one, content)) + "\n")
        sys.stdout.flush()
