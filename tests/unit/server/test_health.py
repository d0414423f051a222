"""What a server says of itself, read whatever it says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from edgeops.server import Health, health_in

HEALTH = json.dumps({"capabilities": {"speculative_decoding": True, "speculative_method": "dspark"}})
PLAIN = json.dumps({"capabilities": {"speculative_decoding": False, "speculative_method": None}})
MODELS = json.dumps({"data": [{"id": "m"}]})


def test_a_ready_server_says_its_method_and_model() -> None:
    assert health_in({"ready": [200, "ok"], "health": [200, HEALTH], "models": [200, MODELS]}) == Health(
        True, "dspark", "m"
    )
    assert health_in({"ready": [200, ""], "health": [200, PLAIN], "models": None}) == Health(True, "none", None)


def test_one_that_is_not_ready_says_why() -> None:
    assert health_in({"ready": [503, "loading"]}).reason == "/health/ready answered 503"
    assert health_in({"ready": [0, "ConnectionRefusedError: refused"]}).reason == "ConnectionRefusedError: refused"
    assert health_in({}) == Health(False, reason="no answer")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"capabilities": 3, "data": 4}', '{"data": [1, {"id": 2}]}'])
def test_nonsense_is_nothing_known(text: str) -> None:
    found: dict[str, Any] = {"ready": [200, text], "health": [200, text], "models": [200, text]}
    assert health_in(found) == Health(True, None, None)
