"""Faults as lines of text: one of cause and one of remedy each, the same fault of many hosts told once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

Result = Mapping[str, str]
"""One result of an ``edgeops.check/1`` document: id, status, found, wanted, why, remedy."""

Results = Iterable[tuple[str, Sequence[Result]]]
"""Results by host; a name may come twice, as snapshots of one host may."""

_NAMED = 3
"""So many hosts are named before the rest is counted."""


def fault_lines(results: Results, status: str = "fail") -> list[str]:
    """The results of ``status``, grouped where nothing but the host differs."""
    lines = []
    for fault, hosts in _grouped(results, status).items():
        requirement, found, wanted, why, remedy = fault
        lines.append(printable(f"{_called(hosts)}: {requirement}: {_sentence(found, wanted)} {why}".rstrip()))
        if remedy:
            lines.append(printable(f"  Remedy: {remedy}"))
    return lines


def printable(text: str) -> str:
    """``text`` without anything that a terminal would obey: what a host says of itself may be meant to harm."""
    return "".join(character if character.isprintable() else "�" for character in text)


def skip_lines(results: Results) -> list[str]:
    """What could not be judged, and why: one line for each requirement and reason."""
    grouped = _grouped(results, "skip")
    return [printable(f"{_called(hosts)}: {fault[0]} not judged: {fault[1]}") for fault, hosts in grouped.items()]


def _grouped(results: Results, status: str) -> dict[tuple[str, ...], list[str]]:
    hosts: dict[tuple[str, ...], list[str]] = {}
    for host, verdicts in results:
        for verdict in verdicts:
            if verdict["status"] == status:
                key = tuple(verdict[field] for field in ("id", "found", "wanted", "why", "remedy"))
                hosts.setdefault(key, []).append(host)
    return dict(sorted(hosts.items(), key=lambda item: -len(item[1])))


def _called(hosts: Sequence[str]) -> str:
    if len(hosts) == 1:
        return hosts[0]
    rest = ", …" if len(hosts) > _NAMED else ""
    return f"{len(hosts)} hosts ({', '.join(hosts[:_NAMED])}{rest})"


def _sentence(found: str, wanted: str) -> str:
    return f"{found}; wanted: {wanted}." if wanted else f"{found}."
