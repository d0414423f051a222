"""The way into the root part: a call when we are root, else one call through sudo, which may ask for a password."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from edgeops.errors import ConfigurationError, EdgeopsError
from edgeops.lab.cache import Report
from edgeops.lab.root_part import Request, perform

_KEPT = ("PIP_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
"""Variables that decide how downloads reach the network; sudo drops them."""


def ask_root(request: Request, report: Report) -> dict[str, Any]:
    """Have ``request`` performed. Returns the root part's answer, raises what it raised."""
    if os.geteuid() == 0:
        return perform(request, report)
    if shutil.which("sudo") is None:
        raise EdgeopsError("the lab needs root, and there is no sudo here", "Call edgeops lab as root")
    report("the lab needs root: calling sudo")
    command = ["sudo", "--", sys.executable, "-I", "-m", "edgeops.lab"]
    done = subprocess.run(command, input=request.to_json(), stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise _error(done.stdout)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def network_environment() -> dict[str, str]:
    """This process's variables that downloads depend on, and where its user keeps pip's configuration."""
    kept = {key: value for key, value in os.environ.items() if key.upper().startswith(_KEPT)}
    for place in ("~/.config/pip/pip.conf", "~/.pip/pip.conf"):
        if Path(place).expanduser().is_file():
            kept.setdefault("PIP_CONFIG_FILE", str(Path(place).expanduser()))
    return kept


def _error(answer: str) -> EdgeopsError:
    try:
        said = json.loads(answer)
        kind = ConfigurationError if said["exit_code"] == ConfigurationError.exit_code else EdgeopsError
        return kind(str(said["message"]), str(said["remedy"]))
    except (ValueError, KeyError, TypeError):
        return EdgeopsError(
            "the root part of the lab did not finish", "See the lines above, then call the command again"
        )
