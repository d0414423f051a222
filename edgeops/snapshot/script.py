"""The one script that asks a host everything, and the reading of what it prints.

Thirty questions one by one would be thirty round trips, and a hanging ``nvidia-smi`` would stop them all. So one
POSIX script goes to ``sh`` on standard input. It leaves no file behind (a full disk is one of the things to find),
every probe has its own time limit, lanes of probes run side by side, and answers travel as base64 so that no byte of
theirs can disturb the transport. It always exits 0; what a probe's exit code means is judged elsewhere.

The host's Python asks, because it needs a quarter of the shell's CPU for that (edgeops/snapshot/on_host.py). Where it
does not work, which is one of the things to find, the shell asks everything itself.
"""

from __future__ import annotations

import base64
import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from edgeops.errors import EdgeopsError
from edgeops.snapshot import Answer, Snapshot
from edgeops.snapshot.probes import LANES, PYTHON, SUDO, Probe

COMMAND = "exec /bin/sh -s"
"""What the script is piped to. Whatever the login shell is, this line means the same in it."""

SCRIPT_TIMEOUT_S = 90.0
OUTPUT_LIMIT = 512 * 1024
"""Bytes kept of each answer's stdout and of its stderr; the rest is read and dropped."""

# `encode` prints only after it has read everything, and the inner one keeps the stderr pipe open until it has printed.
# So exit code, stdout and stderr arrive in this order, whatever the probe does.
_ENVIRONMENT = """
LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL PATH
unset LD_LIBRARY_PATH LD_PRELOAD ENV BASH_ENV LANGUAGE
cd /
if [ -e /etc/edgeops-lab ]; then simulated=yes; else simulated=no; fi
printf '\\n@begin simulated=%s\\n' "$simulated"
""".strip()

_FUNCTIONS = f"""
encode() {{
    encoded=$({{ head -c {OUTPUT_LIMIT}; cat >/dev/null; }} | base64 -w0)
    printf ' %s.' "$encoded"
}}
answered() {{
    timeout -k 1 "$1" /bin/sh -c "$2" </dev/null 3>&-
    printf '%s' "$?" >&3
}}
probe() {{
    answer=$({{ {{ answered "$2" "$3" | encode >&3; }} 2>&1 | encode; }} 3>&1)
    printf '@%s %s\\n' "$1" "$answer"
}}
after() {{
    answers=$("$1")
    cat
    printf '%s\\n' "$answers"
}}
""".strip()

_ASK_SUDO_FIRST = """
sudo_answer=$({sudo})
printf '%s\\n' "$sudo_answer"
AS_ROOT=
case $sudo_answer in
    '@sudo 0 '*) if [ "$(id -u)" != 0 ]; then AS_ROOT='sudo -n'; fi ;;
esac
export AS_ROOT
""".strip()


class Access(Protocol):
    """How the user said that hosts are entered; ``password`` is sudo's, None unless one was given."""

    @property
    def password(self) -> str | None: ...


class ProbedSession(Protocol):
    """What is needed of an engine session to take a snapshot."""

    @property
    def host(self) -> Any: ...

    @property
    def access(self) -> Access: ...

    @property
    def run(self) -> Callable[..., Answer]: ...


@lru_cache(maxsize=8)
def script(lanes: tuple[tuple[Probe, ...], ...] = LANES, python: str = PYTHON) -> str:
    """The whole script, as POSIX sh: sudo first, then every lane beside the others. ``python`` asks where it works."""
    return "\n".join([_ENVIRONMENT, _by_python(lanes, python), _by_shell(lanes), "exit 0", ""])


def _by_python(lanes: Sequence[Sequence[Probe]], python: str) -> str:
    program = Path(__file__).with_name("on_host.py").read_text(encoding="utf-8")
    plan = {"first": _row(SUDO), "lanes": [[_row(probe) for probe in lane] for lane in lanes], "keep": OUTPUT_LIMIT}
    words = shlex.join([python, "-ISB", "-c", _LOADER, program, json.dumps(plan)])
    return f"if {words} </dev/null 2>/dev/null; then exit 0; fi"


_LOADER = (
    "import json,sys;exec(compile(sys.argv[1],'on_host.py','exec'),"
    "{'__name__':'__main__','PLAN':json.loads(sys.argv[2])})"
)


def _row(probe: Probe) -> list[str | int]:
    return [probe.id, probe.code, probe.limit, probe.path]


def _by_shell(lanes: Sequence[Sequence[Probe]]) -> str:
    functions = [f"lane{number}() {{\n{_calls(lane)}\n}}" for number, lane in enumerate(lanes)]
    together = " | ".join(["lane0", *(f"after lane{number}" for number in range(1, len(lanes)))])
    return "\n".join([_FUNCTIONS, _ASK_SUDO_FIRST.format(sudo=_call(SUDO)), *functions, together])


def take(session: ProbedSession) -> Snapshot:
    """Ask the session's host everything: one SSH command, and a second one where sudo's password must be tried.

    Raises EdgeopsError where the script did not even begin: a login without a shell, for one.
    """
    answer = session.run(COMMAND, stdin=script(), timeout=SCRIPT_TIMEOUT_S)
    if "@begin " not in answer.out:
        raise _no_shell(answer)
    probes = dict(parse(answer.out))
    if session.access.password is not None:
        probes["sudo"] = session.run("true", sudo=True, timeout=30.0)
    return Snapshot(session.host.name, _now(), simulated(answer.out), probes)


def _no_shell(answer: Answer) -> EdgeopsError:
    said = next((line.strip() for line in f"{answer.err}\n{answer.out}".splitlines() if line.strip()), "nothing")
    sentence = f"the host ran no shell script for this login (exit code {answer.rc}); it said: {said[:200]}"
    return EdgeopsError(
        sentence, "Log in as a user whose shell runs /bin/sh, and keep forced commands out of its keys."
    )


_LINE = re.compile(
    r"^@(?P<id>[a-z_0-9]+) (?P<rc>\d{1,3}) (?P<out>[A-Za-z0-9+/]*={0,2})\. (?P<err>[A-Za-z0-9+/]*={0,2})\.\s*$"
)


def parse(text: str) -> Mapping[str, Answer]:
    """The probes in what the script printed, by id. A line that is cut off, or not of the script, is no answer."""
    matches = (_LINE.match(line) for line in text.splitlines())
    return {
        match["id"]: Answer(int(match["rc"]), _text(match["out"]), _text(match["err"])) for match in matches if match
    }


def simulated(text: str) -> bool:
    """Whether the host marked itself as a lab host."""
    return re.search(r"^@begin simulated=yes\s*$", text, re.MULTILINE) is not None


def _calls(lane: Sequence[Probe]) -> str:
    return "\n".join(_call(probe) for probe in lane)


def _call(probe: Probe) -> str:
    return f"probe {probe.id} {probe.limit} {shlex.quote(probe.code)}"


def _text(encoded: str) -> str:
    missing = -len(encoded) % 4
    try:
        return base64.b64decode(encoded + "=" * missing).decode("utf-8", "replace")
    except ValueError:
        return ""


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")
