"""apt's words: what it is asked, and what its answers mean. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from edgeops.quoting import shell

LOCKED = "Could not get lock"
"""apt's words for a package lock that another program holds."""

_UNTOUCHED = re.compile(
    r"nvidia-|linux-|.*firmware|cuda-|libnvidia|libcuda|libcublas|libcufft|libcurand|libcusolver|libcusparse"
    r"|xserver-xorg-video-nvidia|dkms|fwupd|shim-|grub|initramfs-tools"
)
"""Names of packages that are never touched: driver, kernel, firmware, boot loader, CUDA."""


@dataclass(frozen=True)
class Step:
    """One package that apt would unpack; ``before`` is empty where it is not installed."""

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class Simulation:
    """What ``apt-get -s install`` says it would do."""

    installs: tuple[Step, ...]
    removes: tuple[str, ...]


def madison_command(names: Iterable[str]) -> str:
    """Asks which versions of ``names`` the configured sources have."""
    return f"LC_ALL=C {shell('apt-cache', 'madison', *names)}"


def simulation_command(words: Sequence[str]) -> str:
    """Asks what installing ``words`` would do; they are package names, with ``=version`` where it matters."""
    return f"LC_ALL=C {shell('apt-get', '-s', '-y', 'install', *_OPTIONS, *words)}"


def install_command(words: Sequence[str]) -> str:
    """Installs ``words`` and never removes anything. Once begun it runs to its end, whatever becomes of the connection:
    a dpkg whose output goes nowhere dies half-way."""
    install = shell("apt-get", "-y", "-q", "install", *_OPTIONS, "--no-remove", *_KEEP_FILES, *words)
    begin = "trap '' HUP; log=$(mktemp) || exit; "
    run = f'DEBIAN_FRONTEND=noninteractive LC_ALL=C {install} > "$log" 2>&1; rc=$?; '
    return begin + run + 'cat "$log" >&2; rm -f "$log"; exit $rc'


_OPTIONS = ("--no-install-recommends", "--allow-downgrades")
_KEEP_FILES = ("-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold")

UPDATE_COMMAND = "LC_ALL=C apt-get -q update"


def offers(madison: str) -> dict[str, tuple[str, ...]]:
    """The versions by package in apt-cache madison's table, the newest first, each once."""
    found: dict[str, list[str]] = {}
    for line in madison.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 3 and cells[1] and cells[1] not in found.setdefault(cells[0], []):
            found[cells[0]].append(cells[1])
    return {name: tuple(versions) for name, versions in found.items()}


def fitted(words: Sequence[str], offered: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """``words`` with a build in place of ``=10.17.0.5-*``: the newest that can be had of all of them."""
    open_names = [word.partition("=")[0] for word in words if word.endswith("*")]
    if not open_names:
        return tuple(words)
    pattern = next(word.partition("=")[2] for word in words if word.endswith("*"))
    everywhere = set.intersection(*(set(offered.get(name, ())) for name in open_names))
    builds = [v for v in offered.get(open_names[0], ()) if v in everywhere and fnmatchcase(v, pattern)]
    if not builds:
        return tuple(words)
    return tuple(f"{word.partition('=')[0]}={builds[0]}" if word.endswith("*") else word for word in words)


def missing_words(words: Iterable[str], offered: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Those of ``words`` that no source has, in the version they name."""
    return tuple(word for word in words if not _offered(word, offered))


def _offered(word: str, offered: Mapping[str, Sequence[str]]) -> bool:
    name, _, version = word.partition("=")
    versions = offered.get(name, ())
    return version in versions if version else bool(versions)


_INST = re.compile(r"Inst (?P<name>[^\s:]+)\S*(?: \[(?P<before>[^\]]*)\])? \((?P<after>\S+)")
_REMV = re.compile(r"(?:Remv|Purg) ([^\s:]+)")


def simulation(text: str) -> Simulation:
    """Reads the lines ``Inst`` and ``Remv``; whatever else is there says nothing about packages."""
    steps = [match for line in text.splitlines() if (match := _INST.match(line))]
    removes = [match[1] for line in text.splitlines() if (match := _REMV.match(line))]
    return Simulation(tuple(Step(m["name"], m["before"] or "", m["after"]) for m in steps), tuple(removes))


def untouchable(planned: Simulation) -> tuple[str, ...]:
    """What of a simulation is not allowed, in words: every removal, and all that belongs to driver, kernel, firmware
    or CUDA."""
    removed = [f"remove {name}" for name in planned.removes]
    touched = [step for step in planned.installs if _UNTOUCHED.match(step.name)]
    return (*removed, *(f"{'change' if step.before else 'install'} {step.name} {step.after}" for step in touched))
