"""``python -m edgeops.lab``: the root part of the lab on the other side of sudo.

Reads one request as JSON on stdin, tells its story on stderr and answers with JSON on stdout.
"""

from __future__ import annotations

import json
import os
import sys

from edgeops.errors import EdgeopsError
from edgeops.lab.root_part import Request, perform


def main() -> int:
    """The answer is the knobs, or what went wrong; then the exit code is 1."""
    request = Request.from_json(sys.stdin.read())
    os.environ.update(request.environment)
    try:
        answer = perform(request, _tell)
    except EdgeopsError as error:
        json.dump({"message": error.message, "remedy": error.remedy, "exit_code": error.exit_code}, sys.stdout)
        return 1
    json.dump(answer, sys.stdout)
    return 0


def _tell(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
