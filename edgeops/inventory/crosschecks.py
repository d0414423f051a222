"""Settings that are fine each by itself, but not together, or not for this edgeops."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping

from packaging.specifiers import InvalidSpecifier, Specifier

from edgeops.errors import ConfigurationError
from edgeops.releases import edgellm_release
from edgeops.settings import Settings

OWN_FLAGS = (
    "--host",
    "--port",
    "--served-model-name",
    "--api-key",
    "--cache-dir",
    "--max-input-len",
    "--max-kv-cache-capacity",
    "--max-queued-requests",
    "--speculative-config",
)
"""Flags of ``trtedge serve`` whose values are settings here, or follow from them."""

_CLEARING = "--clear-engine-cache"


def disagreements(settings: Settings, where: Mapping[str, str]) -> list[str]:
    """Everything that does not fit, with the place of the setting at fault (``where`` has those that were written)."""
    return [f"{where[key]}: {key}: {said}" for key, check in _CHECKS if key in where for said in check(settings)]


def _version(settings: Settings) -> Iterator[str]:
    try:
        edgellm_release(settings.edgellm_version)
    except ConfigurationError as error:
        yield error.message


def _tensorrt(settings: Settings) -> Iterator[str]:
    try:
        Specifier(f"=={settings.tensorrt_version}")
    except InvalidSpecifier:
        yield f'must be a version such as 10.16.1.11, or "10.*", not {settings.tensorrt_version!r}'


def _bind(settings: Settings) -> Iterator[str]:
    if not _is_bindable(settings.bind):
        yield f"must be an IP address or a host name, not {settings.bind!r}"
    elif not settings.loopback and settings.api_key_file is None:
        yield f"{settings.bind} is open to the network, which needs api_key_file; or bind to 127.0.0.1 and use a tunnel"


def _is_bindable(bind: str) -> bool:
    try:
        ipaddress.ip_address(bind)
    except ValueError:
        return re.fullmatch(r"(?=.*[A-Za-z])[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?", bind) is not None
    return True


def _extra_arguments(settings: Settings) -> Iterator[str]:
    arguments = settings.extra_serve_args
    if arguments and not arguments[0].startswith("-"):
        yield f"the first word must be a flag, not {arguments[0]!r}"
    for argument in arguments:
        if argument.startswith("--"):
            yield from _flag(argument)


def _flag(argument: str) -> Iterator[str]:
    name = argument.partition("=")[0]
    if re.search(r"\s", name):
        yield f"one word an item, so {argument.split(maxsplit=1)[0]!r} and its value are two items, not {argument!r}"
    elif same := next((flag for flag in OWN_FLAGS if flag.startswith(name)), ""):
        short = "" if same == name else f", which the server takes for {same}"
        yield f"{name}{short}, is set by edgeops itself; use its setting"
    elif _CLEARING.startswith(name):
        yield f"{name} would throw away every built engine at each start"


def _accepted(settings: Settings) -> Iterator[str]:
    for identifier in settings.accept:
        if not re.fullmatch(r"[a-z]+\.[a-z_]+", identifier):
            yield f"must hold requirement ids such as host.updates, not {identifier!r}"


_CHECKS: tuple[tuple[str, Callable[[Settings], Iterator[str]]], ...] = (
    ("edgellm_version", _version),
    ("tensorrt_version", _tensorrt),
    ("bind", _bind),
    ("extra_serve_args", _extra_arguments),
    ("accept", _accepted),
)
