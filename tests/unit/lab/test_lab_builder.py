"""The scripted builder writes what the vendor's readiness test looks for."""

from __future__ import annotations

import argparse
import json

import pytest

from edgeops.lab.scripted import loads, native
from edgeops.lab.scripted.builder import bundle
from edgeops.lab.scripted.knobs import knobs_of


@pytest.fixture
def checkpoints(tmp_path):
    for name, values in (("model", {"max_position_embeddings": 512}), ("draft", {"dspark_config": {"block_size": 6}})):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps(values))
    return tmp_path


def arguments(checkpoints, **changes):
    values = {
        "model_dir": str(checkpoints / "model"),
        "draft_model_dir": "",
        "spec_type": "",
        "max_input_len": 100,
        "max_kv_cache_capacity": 200,
        "max_batch_size": 1,
        "max_verify_tree_size": 0,
        "max_draft_tree_size": 0,
    }
    return argparse.Namespace(**{**values, **changes})


def test_a_plain_bundle_has_one_engine(checkpoints):
    files = bundle(arguments(checkpoints))
    config = json.loads(files["config.json"])
    assert sorted(files) == ["config.json", "llm.engine"]
    assert (config["engine_role"], config["spec_decode_type"]) == ("llm", "none")
    assert config["builder_config"] == {"max_input_len": 100, "max_kv_cache_capacity": 200, "max_batch_size": 1}


def test_a_speculative_bundle_follows_the_drafts_block(checkpoints):
    files = bundle(arguments(checkpoints, spec_type="dspark", draft_model_dir=str(checkpoints / "draft")))
    base, draft = json.loads(files["base_config.json"]), json.loads(files["draft_config.json"])
    assert base["builder_config"]["max_verify_tree_size"] == 7
    assert draft["dspark_config"] == {"block_size": 6}
    assert draft["builder_config"]["max_draft_tree_size"] == 6


def test_an_engine_loads_from_its_bundle_and_knows_its_k(checkpoints, tmp_path, monkeypatch):
    monkeypatch.setattr(native, "read_knobs", lambda: knobs_of({}))
    for name, content in bundle(
        arguments(checkpoints, spec_type="dspark", draft_model_dir=str(checkpoints / "draft"))
    ).items():
        (tmp_path / name).write_text(content)
    runtime = native.LLMRuntime(str(tmp_path), "", {}, 1, 1, 4, "model", "draft", None, 0)
    assert runtime.has_draft_model()
    assert runtime._draft == ("dspark", 3)


def test_an_engine_that_shall_not_load_says_so(checkpoints, tmp_path, monkeypatch):
    monkeypatch.setattr(native, "read_knobs", lambda: knobs_of({"fail": "load_always"}))
    with pytest.raises(RuntimeError, match="simulated: fail=load_always"):
        native.LLMRuntime(str(tmp_path), "", {}, "model", None)


def test_an_update_that_shall_not_load_spares_what_has_loaded_before(tmp_path, monkeypatch):
    monkeypatch.setattr(loads, "FILE", tmp_path / "loads.json")
    monkeypatch.setattr(loads.sys, "argv", ["trtedge serve", "k=3"])
    assert loads.refuses("load")
    loads.remember()
    assert not loads.refuses("load")
    assert loads.refuses("load_always")
    monkeypatch.setattr(loads.sys, "argv", ["trtedge serve", "k=5"])
    assert loads.refuses("load")


@pytest.mark.parametrize("bad", [{"text": "garbage"}, {"fail": "hang"}])
def test_what_served_well_is_cured_by_a_restart_and_what_is_new_is_not(checkpoints, tmp_path, monkeypatch, bad):
    monkeypatch.setattr(loads, "FILE", tmp_path / "loads.json")
    now = {}
    monkeypatch.setattr(native, "read_knobs", lambda: knobs_of(now))
    for name, content in bundle(arguments(checkpoints)).items():
        (tmp_path / name).write_text(content)

    def start(flags: str):
        monkeypatch.setattr(loads.sys, "argv", ["trtedge serve", flags])
        return native.LLMRuntime(str(tmp_path), "", {}, "model", None)

    running = start("k=3")
    now |= bad
    assert running._knobs().sick
    assert start("k=5")._knobs().sick
    assert start("k=5")._knobs().sick
    restarted = start("k=3")
    assert not restarted._knobs().sick
    now.clear()
    assert not restarted._knobs().sick
    now |= bad
    assert restarted._knobs().sick
