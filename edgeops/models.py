"""What is known of models: sizes, number formats and the drafts that speed them up. The rest is unknown.

Sources: the models' pages on https://huggingface.co (file sizes, ``hf_quant_config.json``, a draft's ``config.json``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Model:
    """A checkpoint. ``size_gb`` in 10^9 bytes; ``cache_gb`` what its engine bundles take while one is being built."""

    id: str
    size_gb: float | None
    precisions: tuple[str, ...]
    cache_gb: float | None = None
    hybrid: bool = False


@dataclass(frozen=True)
class Draft:
    """A draft checkpoint. ``block`` is the most tokens it proposes a step: the upper bound of ``k``."""

    id: str
    size_gb: float | None
    block: int | None


LIGHTNING = "nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4"

MODELS = {
    model.id: model
    for model in (
        # The vendor names no bundle size; with 33 GB the whole deployment asks for 60 GB, a cautious figure.
        Model(LIGHTNING, 21.6, ("nvfp4", "fp8"), cache_gb=33, hybrid=True),
        Model("Qwen/Qwen3-4B", None, ("bf16",)),
    )
}

DRAFTS = {
    draft.id: draft
    for draft in (
        Draft(f"{LIGHTNING}-DSpark", 1.35, 8),
        Draft(f"{LIGHTNING}-DFlash", None, None),
        Draft("deepseek-ai/dspark_qwen3_4b_block7", None, 7),
    )
}

_NAMED_PRECISION = re.compile(r"(?i)(?<![a-z0-9])(nvfp4|mxfp4|fp4|fp8|int4|int8|awq|gptq|fp16|bf16)(?![a-z0-9])")


def _last(name: str) -> str:
    return name.rstrip("/").rpartition("/")[2]


_MODELS_BY_NAME = {_last(name): model for name, model in MODELS.items()}
_DRAFTS_BY_NAME = {_last(name): draft for name, draft in DRAFTS.items()}


def model_called(name: str) -> Model:
    """What is known of the model ``name``, an id or a directory; number formats come from the name if need be."""
    named = tuple(dict.fromkeys(match.casefold() for match in _NAMED_PRECISION.findall(name)))
    return _MODELS_BY_NAME.get(_last(name), Model(name, None, named))


def draft_called(name: str) -> Draft:
    """What is known of the draft ``name``. A directory is taken for what it is called after, like a model."""
    return _DRAFTS_BY_NAME.get(_last(name), Draft(name, None, None))
