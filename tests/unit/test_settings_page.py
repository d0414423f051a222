"""docs/settings.md is held against the settings themselves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from edgeops.settings import Settings

PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"
ROWS = {key: rest.split(" | ") for key, rest in re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE.read_text(), re.MULTILINE)}
SHOWN = {None: "none", False: "no", (): "`[]`"}


def test_the_page_has_every_setting_in_the_settings_order_and_no_other() -> None:
    assert [key for key in ROWS if not key.startswith(("ansible_", "ssh_"))] == list(Settings.model_fields)


@pytest.mark.parametrize("key", Settings.model_fields)
def test_the_page_gives_the_default(key: str) -> None:
    default = Settings.model_fields[key].default
    assert ROWS[key][1] == SHOWN.get(default, f"`{default}`")


@pytest.mark.parametrize(
    "key", ["k", "port", "max_input_len", "max_kv_cache_capacity", "max_queued_requests", "ready_timeout_s"]
)
def test_the_page_gives_the_bounds(key: str) -> None:
    schema = Settings.model_json_schema()["properties"][key]
    low, high = schema["minimum"], schema.get("maximum")
    assert ROWS[key][0] == (f"whole number, {low} to {high}" if high else f"whole number, from {low}")


def test_the_page_gives_the_methods() -> None:
    methods = Settings.model_json_schema()["properties"]["method"]["enum"]
    assert ROWS["method"][0] == ", ".join(f"`{method}`" for method in methods)
