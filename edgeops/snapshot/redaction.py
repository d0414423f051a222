"""What a saved snapshot must not carry: serial numbers, MAC addresses, tokens and the names of people."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from edgeops.snapshot import Answer, Snapshot
from edgeops.snapshot.parsing.text import json_object

REMOVED = "REMOVED"

_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?i)([a-z_.-]*serial[a-z_.-]*\s*[=:]\s*)(\"[^\"\n]*\"|\S+)"), rf"\g<1>{REMOVED}"),
    (re.compile(r"(?i)(?<![0-9a-f:])(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}(?![0-9a-f:])"), REMOVED),
    (re.compile(r"\b(?:hf_|nvapi-|sk-|gh[a-z]_|glpat-)[A-Za-z0-9_-]{8,}"), REMOVED),
    (re.compile(r"(?i)\b(bearer\s+)\S+"), rf"\g<1>{REMOVED}"),
    (re.compile(r"(?i)((?:token|password|passwd|secret|api[-_]?key)s?\s*[=:]\s*)[^\s\",]+"), rf"\g<1>{REMOVED}"),
    (re.compile(r"(/home/|/Users/)[^/\s\"',:]+"), rf"\g<1>{REMOVED}"),
    (re.compile(r"(\[sudo\] password for )[^:\n]+"), rf"\g<1>{REMOVED}"),
    (re.compile(r"(?i)(\buser )[^\s]+( may not run sudo| is not allowed)"), rf"\g<1>{REMOVED}\g<2>"),
    (re.compile(r"(?m)^\S+( is not in the sudoers file)"), rf"{REMOVED}\g<1>"),
)
_GROUP_MEMBERS = re.compile(r"(?m)^([^:\n]*:[^:\n]*:[^:\n]*:)[^\r\n]+")
_PERSONAL = re.compile(
    r"(?i)(^|_)(by|from|who|user|login|owner|operator|actor|serial|mac|token|password|secret|api_?key)s?($|_)"
)
_IMPERSONAL_USERS = frozenset({"root", "trtedge", "nobody"})


def redacted(snapshot: Snapshot, users: Iterable[str] = ()) -> Snapshot:
    """``snapshot`` without serial numbers, MAC addresses, tokens and user names; ``users`` are known names."""
    names = tuple(sorted(set(users) - _IMPERSONAL_USERS - {""}, key=len, reverse=True))
    probes = {probe: _answer(probe, answer, names) for probe, answer in snapshot.probes.items()}
    return replace(snapshot, probes=probes)


def _answer(probe: str, answer: Answer, names: tuple[str, ...]) -> Answer:
    out, err = _text(answer.out), _without(_text(answer.err), names)
    if probe == "groups":
        out = _GROUP_MEMBERS.sub(r"\g<1>", out)
    if probe == "edgeops":
        out = _own(answer.out)
    if probe in ("sudo", "gpu_users", "df"):
        out = _without(out, names)
    return Answer(answer.rc, out, err)


def _text(text: str) -> str:
    for pattern, instead in _PATTERNS:
        text = pattern.sub(instead, text)
    return text


def _without(text: str, names: tuple[str, ...]) -> str:
    for name in names:
        text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", REMOVED, text)
    return text


def _own(text: str) -> str:
    document = json_object(text)
    return json.dumps(_impersonal(document)) + "\n" if document else _text(text)


def _impersonal(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _field(key, item) for key, item in value.items()}
    if isinstance(value, list):
        return [_impersonal(item) for item in value]
    return _text(value) if isinstance(value, str) else value


def _field(key: str, value: Any) -> Any:
    personal = _PERSONAL.search(key) and isinstance(value, str) and value not in _IMPERSONAL_USERS and value
    return REMOVED if personal else _impersonal(value)
