"""In the place of the vendor's engine builder: needs TensorRT as the real one does, takes its time, writes a bundle
that passes.
"""

from __future__ import annotations

import argparse
import importlib
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .knobs import read_knobs


def build(argv: Sequence[str] | None = None) -> None:
    """``experimental.builder.cli.main``: the same arguments, an engine of a few bytes."""
    wanted = _parsed(argv)
    importlib.import_module("tensorrt_edgellm._native.dependencies").require_tensorrt()
    knobs = read_knobs()
    _say(f"building the engine of {wanted.model_dir} (simulated, {knobs.number('build_s'):g} s)")
    time.sleep(knobs.number("build_s"))
    if knobs.text("fail") == "build":
        raise RuntimeError(
            "Engine build failed: no implementation for a node obeys the constraints (simulated: fail=build)"
        )
    for name, content in bundle(wanted).items():
        (Path(wanted.engine_dir) / name).write_text(content)
    _say("engine written")


def bundle(wanted: argparse.Namespace) -> dict[str, str]:
    """File name → content of the bundle that these arguments ask for."""
    built = {
        "max_input_len": wanted.max_input_len,
        "max_kv_cache_capacity": wanted.max_kv_cache_capacity,
        "max_batch_size": wanted.max_batch_size,
    }
    model = {"model": "nemotron_h", "kv_cache_dtype": "fp8", "checkpoint_identity": {"simulated": 1}}
    model["max_position_embeddings"] = _checkpoint(wanted.model_dir).get("max_position_embeddings", 4096)
    engine = "simulated engine (edgeops lab)\n"
    if not wanted.spec_type:
        config = {**model, "spec_decode_type": "none", "engine_role": "llm", "builder_config": built}
        return {"llm.engine": engine, "config.json": json.dumps(config)}
    method = wanted.spec_type
    block = _block_size(method, wanted.draft_model_dir)
    base = {**built, "max_verify_tree_size": wanted.max_verify_tree_size or block + 1}
    draft = {**built, "max_draft_tree_size": wanted.max_draft_tree_size or block}
    spec = {**model, "spec_decode_type": method}
    return {
        "spec_base.engine": engine,
        "spec_draft.engine": engine,
        "base_config.json": json.dumps({**spec, "engine_role": "base", "builder_config": base}),
        "draft_config.json": json.dumps(
            {
                **spec,
                "engine_role": "draft",
                "block_size": block,
                f"{method}_config": {"block_size": block},
                "builder_config": draft,
            }
        ),
    }


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="builder", allow_abbrev=False)
    parser.add_argument("--model-dir", required=True)
    parser.add_argument("--engine-dir", required=True)
    parser.add_argument("--spec-type", default="")
    parser.add_argument("--draft-model-dir", default="")
    parser.add_argument("--max-input-len", type=int, default=4096)
    parser.add_argument("--max-kv-cache-capacity", type=int, default=8192)
    parser.add_argument("--max-batch-size", type=int, default=1)
    parser.add_argument("--max-verify-tree-size", type=int, default=0)
    parser.add_argument("--max-draft-tree-size", type=int, default=0)
    wanted, _ = parser.parse_known_args(argv)
    if wanted.spec_type == "none":
        wanted.spec_type = ""
    return wanted


def _block_size(method: str, draft_dir: str) -> int:
    draft = _checkpoint(draft_dir) if draft_dir else {}
    config = draft.get(f"{method}_config") or draft.get("dflash_config") or {}
    return int(config.get("block_size", draft.get("block_size", 7)))


def _checkpoint(directory: str) -> dict[str, Any]:
    values: dict[str, Any] = json.loads((Path(directory) / "config.json").read_text())
    return values


def _say(line: str) -> None:
    print(f"[edgeops lab] {line}", flush=True)  # noqa: T201
