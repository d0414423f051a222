"""Why apt refused, in a sentence, and what to do about it."""

from __future__ import annotations

import re

from edgeops.errors import EdgeopsError
from edgeops.preparation.apt import LOCKED
from edgeops.snapshot import Answer

_CAUSES = (
    (LOCKED, "wait until the other program has ended: pgrep -a 'apt|dpkg|unattended'"),
    ("dpkg was interrupted", "sudo dpkg --configure -a   # on the host, then run this again"),
    ("not valid yet", "the host's clock is wrong: sudo timedatectl set-ntp true"),
    ("not yet valid", "the host's clock is wrong: sudo timedatectl set-ntp true"),
    ("Held packages were changed", "see apt-mark showhold; if that hold may go: sudo apt-mark unhold PACKAGE"),
    ("held broken packages", "see which packages stand against it: apt-mark showhold; apt-cache policy PACKAGE"),
    ("No space left", "make room: sudo du -xh -d 2 / | sort -h | tail -20"),
    ("enough free space", "make room: sudo du -xh -d 2 / | sort -h | tail -20"),
    ("Failed to fetch", "see whether the host reaches its apt sources: sudo apt-get update"),
    ("were unauthenticated", "add the key of that apt source: it is not signed by one that the host knows"),
)
"""A part of apt's own words, and the remedy. Source of the lock's and the hold's: apt-get(8) and apt's messages."""


class PackagesLocked(EdgeopsError):
    """Another program holds a lock of apt's or dpkg's; nothing was done."""


def apt_error(doing: str, answer: Answer) -> EdgeopsError:
    """apt's own last words of a failed call, with a remedy where one is known."""
    kind = PackagesLocked if LOCKED in f"{answer.out}{answer.err}" else EdgeopsError
    return kind(f"{doing}: {reason(answer)}", remedy(f"{answer.out}\n{answer.err}"))


def remedy(said: str) -> str:
    """What helps against what apt said; empty where nothing is known."""
    return next((words for part, words in _CAUSES if part in said), "")


def reason(answer: Answer) -> str:
    """apt's errors without their ``E:``, and the dependencies that cannot be met; in one line."""
    errors = re.findall(r"^E: (.+)$", answer.err, re.MULTILINE)
    unmet = re.findall(r"^ (\S+ : (?:Depends|Conflicts|Breaks|PreDepends): .+)$", answer.out, re.MULTILINE)
    said = errors + [line.strip() for line in unmet]
    return "; ".join(said[:5]) or (answer.err or answer.out).strip()[-200:] or f"ended with {answer.rc}"
