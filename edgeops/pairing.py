"""Do a model, its draft and k fit together? The vendor's server says so only after a long engine build; this says it
before.

Rules: https://nvidia.github.io/TensorRT-Edge-LLM/ (speculative decoding) and the checks of the 0.11.0 server.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

_DEFAULT_BLOCK = {"dspark": 7, "dflash": 16}
_SMALLEST = {"dflash": 2}


@dataclass(frozen=True)
class Pair:
    """The two checkpoints' ``config.json`` as text (None: no draft), the method and k."""

    method: str
    k: int
    base: str
    draft: str | None


def problems(pair: Pair) -> list[str]:
    """Sentences; empty when nothing speaks against it."""
    base = _object(pair.base)
    if base is None:
        return ["the model's config.json is not a JSON object"]
    if pair.draft is None:
        return []
    draft = _object(pair.draft)
    if draft is None:
        return ["the draft's config.json is not a JSON object"]
    return [*_size_problems(base, draft), *_layer_problems(base, draft, pair.method), *_count_problems(draft, pair)]


def block_size(draft: dict[str, Any], method: str) -> int | None:
    """How many tokens the draft can propose at once; None for a method without blocks."""
    section = draft.get(f"{method}_config")
    given = section.get("block_size") if isinstance(section, dict) else draft.get("block_size")
    return given if isinstance(given, int) and given > 0 else _DEFAULT_BLOCK.get(method)


def _size_problems(base: dict[str, Any], draft: dict[str, Any]) -> list[str]:
    found = []
    for key in ("hidden_size", "vocab_size"):
        ours, theirs = _size(base, key), _size(draft, key)
        if ours is not None and theirs is not None and ours != theirs:
            found.append(f"model and draft do not match: {key} is {ours} in the model and {theirs} in the draft")
    return found


def _layer_problems(base: dict[str, Any], draft: dict[str, Any], method: str) -> list[str]:
    section = draft.get(f"{method}_config")
    layers = section.get("target_layer_ids") if isinstance(section, dict) else None
    count = _size(base, "num_hidden_layers")
    if not isinstance(layers, list) or count is None:
        return []
    outside = [layer for layer in layers if not isinstance(layer, int) or not 0 <= layer < count]
    return [f"the draft taps layers {outside}, and the model has layers 0 to {count - 1}"] if outside else []


def _count_problems(draft: dict[str, Any], pair: Pair) -> list[str]:
    block, least = block_size(draft, pair.method), _SMALLEST.get(pair.method, 1)
    if block is not None and not least <= pair.k <= block:
        return [f"k is {pair.k}, and this draft proposes {least} to {block} tokens"]
    return []


def _size(config: dict[str, Any], key: str) -> int | None:
    value = config.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _object(text: str) -> dict[str, Any] | None:
    try:
        document = json.loads(text)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None
