"""Kernel, memory, GPU, driver and power mode."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

from edgeops.snapshot.parsing.text import decimal, first_line, integer, known, lines


@dataclass(frozen=True)
class Kernel:
    """``uname -srm``: ``release`` such as ``6.17.0-1021-nvidia``, ``machine`` such as ``aarch64``."""

    release: str | None
    machine: str | None


@dataclass(frozen=True)
class Gpu:
    """One GPU. ``memory_mib`` is None on GB10, Thor and Orin, which share the host's memory."""

    name: str | None
    driver: str | None
    memory_mib: int | None
    capability: str | None


@dataclass(frozen=True)
class Memory:
    """/proc/meminfo in bytes. ``cma_total`` 0 with ``cma_free`` above 0: the kernel hides memory."""

    total: int | None
    available: int | None
    cma_total: int | None
    cma_free: int | None


@dataclass(frozen=True)
class Power:
    """``nvpmodel -q``. Modes are compared by name: ids differ from board to board."""

    name: str
    id: int | None


def kernel(text: str) -> Kernel | None:
    """``Linux 6.17.0-1021-nvidia aarch64``."""
    line = next((line for line in lines(text) if line.startswith("Linux ")), first_line(text) or "")
    words = line.split()
    return Kernel(words[1], words[-1]) if len(words) >= 3 else None


def glibc(text: str) -> str | None:
    """``glibc 2.39``."""
    match = re.search(r"glibc[ -]([0-9]{1,3}\.[0-9]{1,3})", text)
    return match[1] if match else None


_DRIVER = re.compile(r"(?<![0-9.])([0-9]{3}\.[0-9]{2,4}(?:\.[0-9]{2,4})?)(?![0-9.])")


def driver_module(text: str) -> str | None:
    """The loaded kernel module's version: ``580.142`` alone, or the ``NVRM version:`` line of /proc."""
    for line in lines(text):
        match = _DRIVER.search(line)
        if match and not line.startswith("GCC"):
            return match[1]
    return None


def gpus(text: str) -> tuple[Gpu, ...] | None:
    """``nvidia-smi --query-gpu=… --format=csv``; warnings may stand before the header. None without a header."""
    rows = [[cell.strip() for cell in row] for row in _rows(text)]
    header = next((number for number, row in enumerate(rows) if row[:1] == ["name"]), None)
    if header is None:
        return None
    names = [cell.split(" ")[0] for cell in rows[header]]
    return tuple(_gpu(dict(zip(names, row, strict=True))) for row in rows[header + 1 :] if len(row) == len(names))


def _gpu(row: dict[str, str]) -> Gpu:
    memory = known(row.get("memory.total"))
    capability = known(row.get("compute_cap"))
    return Gpu(
        name=known(row.get("name")),
        driver=known(row.get("driver_version")),
        memory_mib=integer((memory or "").split(" ")[0]),
        capability=capability if capability and re.fullmatch(r"[0-9]{1,3}\.[0-9]", capability) else None,
    )


def _rows(text: str) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO("\n".join(lines(text))), skipinitialspace=True))
    except csv.Error:
        return []


def nvidia_pci_ids(text: str) -> tuple[str, ...]:
    """The ``10de:…`` ids in lines of ``lspci -n``."""
    return tuple(match.casefold() for match in re.findall(r"\b10[dD][eE]:[0-9a-fA-F]{4}\b", text))


def memory(text: str) -> Memory | None:
    """/proc/meminfo. None without MemTotal and MemAvailable."""
    pairs = (line.partition(":") for line in lines(text))
    values = {key.strip(): _kib(value) for key, _, value in pairs}
    found = Memory(*(values.get(key) for key in ("MemTotal", "MemAvailable", "CmaTotal", "CmaFree")))
    return None if found.total is None and found.available is None else found


def _kib(value: str) -> int | None:
    number = integer(value.strip().removesuffix("kB"))
    return None if number is None else number * 1024


_POWER = re.compile(r"NV Power Mode:\s*(\S+)")


def power(text: str) -> Power | None:
    """Name on one line, id on the next; ``--verbose`` prints more around them."""
    found = lines(text)
    for number, line in enumerate(found):
        match = _POWER.search(line)
        if match:
            following = found[number + 1] if number + 1 < len(found) else ""
            return Power(match[1], integer(following))
    return None


def torn_score(text: str) -> float | None:
    """``{ "name": "OTA2607", "torn": 0 }``: above zero the host is half updated."""
    match = re.search(r'"?torn"?\s*[:=]\s*"?([0-9.]{1,12})', text)
    return decimal(match[1]) if match else None
