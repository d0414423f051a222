"""From what a file says about a host to a ``Host``: types, bounds, files made absolute, every value with its origin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from edgeops.inventory.connection import convert, is_connection, located
from edgeops.inventory.crosschecks import disagreements
from edgeops.inventory.foreign import complaint
from edgeops.inventory.host import DEFAULT, Host
from edgeops.inventory.problems import refuse
from edgeops.inventory.written import Entry, Value
from edgeops.settings import Settings

_FIELDS = Settings.model_fields
_FALSE = ("off", "no", "n", "false")


@dataclass(frozen=True)
class _Variables:
    """One host's variables, sorted by whom they belong to."""

    settings: Mapping[str, Value]
    connection: Mapping[str, Value]
    foreign: Mapping[str, Value]


def read_hosts(entries: list[Entry], base: Path) -> tuple[Host, ...]:
    """All hosts, their files relative to the directory ``base``. Raises ConfigurationError with every problem found."""
    problems: list[str] = []
    hosts = tuple(_read_host(entry, base, problems) for entry in entries)
    refuse(problems, "docs/settings.md lists every setting.")
    return hosts


def _read_host(entry: Entry, base: Path, problems: list[str]) -> Host:
    sorted_out = _sort(entry)
    for value in sorted_out.foreign.values():
        if said := complaint(value):
            problems.append(f"{value.where}: {said}")
    ssh = _read_connection(sorted_out.connection, base, problems)
    settings = _read_settings(sorted_out.settings, base, problems)
    return Host(
        name=entry.name,
        address=ssh.pop("ssh_hostname", entry.name),
        port=ssh.pop("ssh_port", None),
        user=ssh.pop("ssh_user", None),
        ssh=ssh,
        groups=entry.groups,
        settings=settings,
        origins=_origins(entry),
        foreign={value.key: _as_text(value) for value in sorted_out.foreign.values()},
    )


def _sort(entry: Entry) -> _Variables:
    ours = {key: value for key, value in entry.variables.items() if key in _FIELDS}
    connection = {key: value for key, value in entry.variables.items() if is_connection(key)}
    rest = {key: value for key, value in entry.variables.items() if key not in ours and key not in connection}
    return _Variables(ours, connection, rest)


def _origins(entry: Entry) -> dict[str, str]:
    return dict.fromkeys(_FIELDS, DEFAULT) | {
        value.key: value.where for value in entry.variables.values() if value.raw is not None
    }


def _read_connection(values: Mapping[str, Value], base: Path, problems: list[str]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for name, value in values.items():
        if value.raw is None and not value.unreadable:
            continue
        try:
            data[name] = convert(name, value, base)
        except ValueError as error:
            shown = "" if "password" in name else f", not {value.raw!r}"
            problems.append(f"{value.where}: {value.key}: {error}{shown}")
    return data


def _read_settings(values: Mapping[str, Value], base: Path, problems: list[str]) -> Settings:
    """The settings; where something is wrong ``problems`` says so, and nobody gets to see what is returned."""
    given: dict[str, object] = {}
    before = len(problems)
    for key, value in values.items():
        try:
            _take(key, value, base, given)
        except ValueError as error:
            problems.append(f"{value.where}: {key}: {error}")
    try:
        settings = Settings.model_validate(given)
    except ValidationError as error:
        problems += [_sentence(detail, values) for detail in error.errors()]
        return Settings()
    if len(problems) == before:
        problems += disagreements(settings, {key: value.where for key, value in values.items()})
    return settings


def _take(key: str, value: Value, base: Path, given: dict[str, object]) -> None:
    if value.unreadable:
        raise ValueError(value.unreadable)
    if value.raw is None:
        if _FIELDS[key].default is not None:
            raise ValueError("has no value; remove the line to get the default")
        return
    given[key] = _prepared(key, value.raw, base)


def _prepared(key: str, raw: object, base: Path) -> object:
    if key == "method" and str(raw).lower() in _FALSE:
        return "off"
    if Path in get_args(_FIELDS[key].annotation):
        if not isinstance(raw, str | Path):
            raise ValueError("a file is wanted")
        return located(str(raw), base)
    return raw


def _sentence(detail: ErrorDetails, values: Mapping[str, Value]) -> str:
    key = str(detail["loc"][0])
    found = repr(detail["input"])
    wanted = _WANTED.get(detail["type"]) or detail["msg"].replace("Input should be", "must be").split(",")[0]
    if detail["type"] == "literal_error":
        wanted = detail["msg"].replace("Input should be", "must be")
    return f"{values[key].where}: {key}: {wanted}, not {found[:80]}"


def _as_text(value: Value) -> str:
    return "" if value.raw is None else str(value.raw)


_WANTED = {
    "string_pattern_mismatch": "must be one line without control characters",
    "string_too_short": "must not be empty",
    "tuple_type": "must be a list, as in [a, b]",
}
