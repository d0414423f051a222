"""Secrets of this machine, one a file: API keys and tokens. Read here, handed over on standard input, shown nowhere."""

from __future__ import annotations

from pathlib import Path

from edgeops.errors import EdgeopsError


def read_secret(path: Path | None) -> str:
    """The one word in ``path``, an empty text without a path. Raises EdgeopsError, which never shows what is there."""
    if path is None:
        return ""
    try:
        secret = path.expanduser().read_text(encoding="ascii").strip()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it holds more than ASCII"
        raise EdgeopsError(f"the key file {path} cannot be read: {why}") from None
    if not secret or not secret.isprintable() or " " in secret:
        raise EdgeopsError(f"the key file {path} does not hold one key on one line")
    return secret
