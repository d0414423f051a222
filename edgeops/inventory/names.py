"""Host names, as written: checked, and ranges such as ``spark-[01:20]`` spelled out."""

from __future__ import annotations

import ipaddress
import itertools
import re

from edgeops.errors import ConfigurationError

MOST_HOSTS = 10_000
_RANGE = re.compile(r"\[(?P<first>[0-9]*|[A-Za-z]):(?P<last>[0-9]+|[A-Za-z])(?::(?P<step>[0-9]+))?\]")
_NAME = re.compile(r"\w[\w.+-]{0,252}")


def is_name(text: str) -> bool:
    """Whether ``text`` may name a host or address: no blanks, and never taken for an option, a path or a glob."""
    return _NAME.fullmatch(text) is not None or _is_ip(text)


def expand(pattern: str, where: str) -> list[tuple[str, int | None]]:
    """The hosts that ``pattern`` stands for, each with the port behind a colon, if any. Raises ConfigurationError.

    ``spark-[01:03]`` is three hosts; ``[a:c]`` and a step, ``[0:10:5]``, work as in Ansible; several ranges multiply.
    """
    if _is_ip(pattern):
        return [(pattern, None)]
    bracketed = re.fullmatch(r"\[([0-9A-Fa-f:.%]+)\](?::([0-9]+))?", pattern)
    if bracketed and _is_ip(bracketed[1]):
        return [(bracketed[1], _port(bracketed[2], where))]
    stem, port = _split_port(pattern, where)
    return [(_checked(name, where), port) for name in _spelled(stem, where)]


def _spelled(stem: str, where: str) -> list[str]:
    pieces: list[list[str]] = []
    end = 0
    for found in _RANGE.finditer(stem):
        pieces += [[stem[end : found.start()]], _numbers(found, where)]
        end = found.end()
    pieces.append([stem[end:]])
    count = 1
    for piece in pieces:
        count *= len(piece)
    if count > MOST_HOSTS:
        raise ConfigurationError(f"{where}: {stem!r} stands for {count} hosts; at most {MOST_HOSTS} are read")
    return ["".join(parts) for parts in itertools.product(*pieces)]


def _numbers(found: re.Match[str], where: str) -> list[str]:
    first, last, step = found["first"] or "0", found["last"], int(found["step"] or 1)
    if first.isdigit() != last.isdigit() or step < 1 or len(first) > 9 or len(last) > 9:
        raise ConfigurationError(f"{where}: not a range: {found.group()}")
    if not first.isdigit():
        letters = [chr(code) for code in range(ord(first), ord(last) + 1, step)]
        return _filled(letters, found, where)
    if first.startswith("0") and len(first) > 1 and len(first) != len(last):
        raise ConfigurationError(f"{where}: both ends of {found.group()} must have as many digits")
    span = range(int(first), int(last) + 1, step)
    if len(span) > MOST_HOSTS:
        raise ConfigurationError(
            f"{where}: {found.group()} stands for {len(span)} hosts; at most {MOST_HOSTS} are read"
        )
    width = len(first) if first.startswith("0") else 0
    return _filled([str(number).zfill(width) for number in span], found, where)


def _filled(names: list[str], found: re.Match[str], where: str) -> list[str]:
    if not names:
        raise ConfigurationError(f"{where}: the range {found.group()} is empty")
    return names


def _split_port(pattern: str, where: str) -> tuple[str, int | None]:
    found = re.fullmatch(r"(.*[^:]):([0-9]+)", pattern)
    if found is None or ":" in _RANGE.sub("", found[1]):
        return pattern, None
    return found[1], _port(found[2], where)


def _port(text: str | None, where: str) -> int | None:
    if text is None:
        return None
    if not text.isdigit() or not 1 <= int(text[:6]) <= 65535:
        raise ConfigurationError(f"{where}: not a port: {text}")
    return int(text)


def _checked(name: str, where: str) -> str:
    if not is_name(name):
        raise ConfigurationError(f"{where}: not a host name or range: {name!r}")
    return name


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
