"""The benchmark of a server of which only the URL is known: the probe runs here, in a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from edgeops.bench.decision import Asked
from edgeops.bench.procedure import Target
from edgeops.errors import ConfigurationError
from edgeops.runs import Run
from edgeops.secret_files import read_secret
from edgeops.smoke.keeping import Subject, Tell
from edgeops.smoke.local import run_probe
from edgeops.smoke.measurement import Options, measure_subject

_SCHEMES = {"http": 80, "https": 443}
_ENDINGS = ("/v1/chat/completions", "/v1/models", "/v1")


def by_url(url: str, options: Options, run: Run, tell: Tell, key_file: Path | None = None) -> dict[str, Any]:
    """The entry of one server. Raises ConfigurationError for a URL that is none, EdgeopsError when nothing answers."""
    subject = Subject(
        asked=Asked(url, options.k, options.method),
        target=target_of(url, read_secret(key_file)),
        url=url,
        remedy="Check the URL: the server's root, without /v1/chat/completions.",
    )
    return measure_subject(subject, run_probe, options, run, tell)


def target_of(url: str, key: str = "") -> Target:
    """Where ``url`` leads. A path such as ``/v1`` at its end may be left out or given."""
    parts = _split(url)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigurationError(
            "a server's URL holds no user, password, query or fragment", "Give the key with --api-key-file."
        )
    root = parts.path.rstrip("/")
    for ending in _ENDINGS:
        root = root.removesuffix(ending)
    if not root.isprintable() or " " in root or not root.isascii():
        raise ConfigurationError(f"not a URL of a server: {url!r}")
    return Target(parts.hostname or "", parts.port or _SCHEMES[parts.scheme], parts.scheme == "https", root, key)


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ConfigurationError(f"not a URL: {url!r}") from None
    if parts.scheme not in _SCHEMES or not parts.hostname or port == 0:
        raise ConfigurationError(f"not a URL of a server: {url!r}", "For example http://127.0.0.1:8000")
    return parts
