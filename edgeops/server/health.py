"""How a running server says that it is: the answers of ``/health/ready``, ``/health`` and ``/v1/models``, read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from edgeops.snapshot.parsing.text import json_object


@dataclass(frozen=True)
class Health:
    """``method`` is ``none`` for plain decoding; None where the server did not say. ``reason``: why it is not ready."""

    ready: bool
    method: str | None = None
    model: str | None = None
    reason: str = ""


def health_in(answer: Mapping[str, Any]) -> Health:
    """From ``{"ready": [status, text], "health": …, "models": …}``; each may be missing or nonsense."""
    status, said = _pair(answer.get("ready"))
    reason = "" if status == 200 else f"/health/ready answered {status}" if status else said or "no answer"
    return Health(status == 200, _method(answer.get("health")), _model(answer.get("models")), reason[:200])


def _method(answer: object) -> str | None:
    capabilities = json_object(_pair(answer)[1]).get("capabilities")
    if not isinstance(capabilities, Mapping):
        return None
    if capabilities.get("speculative_decoding") is not True:
        return "none"
    method = capabilities.get("speculative_method")
    return method if isinstance(method, str) else None


def _model(answer: object) -> str | None:
    data = json_object(_pair(answer)[1]).get("data")
    names = [entry.get("id") for entry in data if isinstance(entry, Mapping)] if isinstance(data, list) else []
    return names[0] if names and isinstance(names[0], str) else None


def _pair(answer: object) -> tuple[int, str]:
    if isinstance(answer, (list, tuple)) and len(answer) == 2 and isinstance(answer[0], int):
        return answer[0], str(answer[1])
    return 0, ""
