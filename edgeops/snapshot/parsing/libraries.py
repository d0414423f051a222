"""Python, CUDA and TensorRT: what is installed, and what a process would load."""

from __future__ import annotations

import re
from dataclasses import dataclass

from edgeops.snapshot.parsing.text import first_line, json_object, lines, text_at


@dataclass(frozen=True)
class Python:
    """The distribution's interpreter; ``venv`` and ``ensurepip`` are None where it did not say."""

    version: str | None
    venv: bool | None
    ensurepip: bool | None

    @property
    def minor(self) -> str | None:
        """``3.12``."""
        return None if self.version is None else ".".join(self.version.split(".")[:2])


@dataclass(frozen=True)
class LoaderCache:
    """``ldconfig -p``. ``complete`` is false for a mere extract: from that nobody may conclude what is missing."""

    sonames: tuple[str, ...]
    complete: bool


@dataclass(frozen=True)
class Package:
    """One line of dpkg: ``installed`` only where it is wholly so."""

    name: str
    status: str
    version: str

    @property
    def installed(self) -> bool:
        return self.status.endswith(" ok installed")

    @property
    def broken(self) -> bool:
        """Neither installed nor cleanly gone."""
        return not self.installed and not self.status.endswith((" not-installed", " config-files"))

    @property
    def upstream(self) -> str:
        """``10.16.1.11`` of ``10.16.1.11-1+cuda13.2``."""
        return self.version.rpartition("-")[0] or self.version


def python(text: str) -> Python | None:
    """Lines ``Python 3.12.3``, ``venv ok``, ``ensurepip missing``."""
    match = re.search(r"Python ([0-9]{1,3}\.[0-9]{1,3}(?:\.[0-9]{1,3})?)", text)
    found = set(lines(text))
    answer = Python(match[1] if match else None, _module(found, "venv"), _module(found, "ensurepip"))
    return None if answer == Python(None, None, None) else answer


def _module(found: set[str], name: str) -> bool | None:
    if f"{name} ok" in found:
        return True
    return False if f"{name} missing" in found else None


def cudart(text: str) -> str | None:
    """What ``find_library("cudart")`` says: a file name, ``""`` for none, None where the answer is neither."""
    found = lines(text)
    library = next((re.split(r"[\s/]+", line)[-1] for line in reversed(found) if "libcudart" in line), None)
    if library:
        return library
    return "" if "None" in found else None


def loader_cache(text: str) -> LoaderCache | None:
    """Lines ``libcudart.so.13 (libc6,AArch64) => /usr/…``, in the loader's order."""
    found = lines(text)
    entries = [line for line in found if " => " in line]
    if not entries:
        return None
    header = any(" libs found in cache " in line for line in found)
    return LoaderCache(tuple(line.split(" ", 1)[0] for line in entries), header)


def cuda_version_json(text: str) -> str | None:
    """The toolkit's own version, ``13.0.3``."""
    version = text_at(json_object(text), "cuda", "version")
    return version if version and re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,6}){0,3}", version) else None


def nvcc(text: str) -> str | None:
    """``… release 13.0, V13.0.88`` is 13.0.88."""
    match = re.search(r"release [0-9.]{1,12}, V([0-9]{1,3}(?:\.[0-9]{1,6}){1,3})", text)
    return match[1] if match else None


def tensorrt_version(text: str) -> str | None:
    """``tensorrt.__version__``, alone on its line; warnings of other libraries may stand before it."""
    found = [
        line for line in lines(text) if re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,6}){1,3}([.+a-z][a-z0-9.]{0,20})?", line)
    ]
    return found[-1] if found else None


def packages(text: str) -> tuple[Package, ...]:
    """``name<TAB>status<TAB>version`` lines. A package that dpkg merely knows has no version and is left out."""
    rows = (line.split("\t") for line in lines(text))
    return tuple(Package(row[0], row[1], row[2]) for row in rows if len(row) == 3 and row[0] and row[2])


def held(text: str) -> tuple[str, ...]:
    """Package names, one a line."""
    return tuple(line for line in lines(text) if re.fullmatch(r"[a-z0-9][a-z0-9+.:-]{0,100}", line))


def last_line(text: str) -> str | None:
    """The line of a traceback that says what happened."""
    return first_line("\n".join(reversed(lines(text))))
