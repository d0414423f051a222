"""The API key of a server: read here, given to the probe on standard input, shown nowhere."""

from __future__ import annotations

from pathlib import Path

from edgeops.errors import EdgeopsError


def read_key(path: Path | None) -> str:
    """The API key in ``path``, or an empty text without one. Raises EdgeopsError; never shows what the file holds."""
    if path is None:
        return ""
    try:
        key = path.expanduser().read_text(encoding="ascii").strip()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it holds more than ASCII"
        raise EdgeopsError(f"the API key file {path} cannot be read: {why}") from None
    if not key or not key.isprintable() or " " in key:
        raise EdgeopsError(f"the API key file {path} does not hold one key on one line")
    return key
