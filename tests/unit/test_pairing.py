"""Model, draft and k are judged before the vendor's server would spend a build on them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from edgeops.pairing import Pair, problems

BASE = {"hidden_size": 64, "vocab_size": 1000, "num_hidden_layers": 2}
DRAFT = {"hidden_size": 64, "vocab_size": 1000, "dspark_config": {"block_size": 7, "target_layer_ids": [0, 1]}}


def pair(k: int = 3, base: dict[str, Any] | None = None, draft: dict[str, Any] | None = None) -> Pair:
    return Pair("dspark", k, json.dumps(BASE | (base or {})), json.dumps(DRAFT | (draft or {})))


@pytest.mark.parametrize("k", [1, 3, 7])
def test_a_pair_that_fits_has_no_problem(k: int) -> None:
    assert problems(pair(k)) == []


@pytest.mark.parametrize(
    ("given", "word"),
    [
        (pair(8), "1 to 7"),
        (pair(base={"hidden_size": 128}), "hidden_size"),
        (pair(draft={"vocab_size": 999}), "vocab_size"),
        (pair(draft={"dspark_config": {"block_size": 7, "target_layer_ids": [0, 9]}}), "layers [9]"),
        (Pair("dspark", 3, "not json", json.dumps(DRAFT)), "model's config.json"),
        (Pair("dspark", 3, json.dumps(BASE), "[]"), "draft's config.json"),
        (Pair("dflash", 1, json.dumps(BASE), json.dumps({"dflash_config": {"block_size": 16}})), "2 to 16"),
    ],
)
def test_what_does_not_fit_is_said(given: Pair, word: str) -> None:
    assert any(word in problem for problem in problems(given))


def test_a_draft_that_keeps_silent_gets_the_vendors_default_block() -> None:
    assert problems(Pair("dspark", 8, json.dumps(BASE), "{}")) == ["k is 8, and this draft proposes 1 to 7 tokens"]


def test_without_a_draft_there_is_nothing_to_match() -> None:
    assert problems(Pair("mtp", 3, json.dumps(BASE), None)) == []
