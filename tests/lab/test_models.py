"""Models from Hugging Face ids, through the real ``hf`` of the release and a fake hub on the loopback."""

from __future__ import annotations

import json

import pytest

from tests.lab.fake_hub import FakeHub

pytestmark = pytest.mark.lab

BASE = "acme/Tiny-NVFP4"
DRAFT = f"{BASE}-DSpark"
BASE_CONFIG = json.dumps(
    {
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "vocab_size": 1000,
        "max_position_embeddings": 8192,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
)
DRAFT_CONFIG = json.dumps(
    {
        "architectures": ["DSparkDraftModel"],
        "model_type": "qwen3",
        "hidden_size": 64,
        "vocab_size": 1000,
        "num_hidden_layers": 1,
        "dspark_config": {"block_size": 7, "target_layer_ids": [0, 1], "markov_rank": 16, "mask_token_id": 5},
    }
)
ENVIRONMENT = 'Defaults env_keep += "HF_ENDPOINT"'


@pytest.fixture(scope="module")
def hub(lab):
    host = lab.host("models-01")
    with FakeHub(host.address).serving() as hub:
        hub.publish(BASE, config_json=BASE_CONFIG, weights_bin="w" * 5000)
        hub.publish(DRAFT, config_json=DRAFT_CONFIG)
        host.said(f"echo 'HF_ENDPOINT={hub.url}' | sudo tee -a /etc/environment")
        host.said(f"echo '{ENVIRONMENT}' | sudo tee /etc/sudoers.d/hub")
        hub.host = host
        yield hub
        lab.drop(host.name)


@pytest.fixture
def by_id(commands, hub, tmp_path):
    token = tmp_path / "token"
    token.write_text("hf_of_the_test\n")
    with commands.settings(hub.host.name, model=BASE, draft_model=DRAFT, hf_token_file=str(token)):
        yield


def deployed(commands, hub, *words: str) -> dict:
    (host,) = commands.json("deploy", hub.host.name, "--no-smoke", *words)["hosts"]
    return host


def test_model_and_draft_are_fetched_once_and_pinned_by_the_commit_that_was_seen(commands, hub, by_id) -> None:
    first = hub.commits[BASE]
    host = deployed(commands, hub)
    assert host["outcome"] == "deployed", host
    directory = f"/var/lib/trtedge/models/acme--Tiny-NVFP4/{first}"
    assert hub.host.said(f"sudo stat -c %U {directory}/config.json") == "trtedge"
    assert hub.host.said(f"sudo stat -c %s {directory}/weights.bin") == "5000"
    assert json.loads(hub.host.said(f"curl -s http://{hub.host.address}:8000/v1/models"))["data"][0]["id"] == BASE
    assert "hf_of_the_test" in hub.tokens
    assert "hf_of_the_test" not in hub.host.said(
        "sudo grep -rl hf_of_the_test /etc /var/lib /opt/edgeops/current/ || true"
    )


def test_a_new_upstream_commit_changes_nothing_and_the_hub_is_not_even_asked(commands, hub, by_id) -> None:
    hub.publish(BASE, config_json=BASE_CONFIG, weights_bin="v" * 6000)
    hub.asked.clear()
    assert deployed(commands, hub)["outcome"] == "unchanged"
    assert hub.asked == []


def test_a_revision_that_is_asked_for_is_taken(commands, hub, by_id) -> None:
    with commands.settings(hub.host.name, model_revision=hub.commits[BASE]):
        host = deployed(commands, hub)
        assert f"download {BASE} at revision {hub.commits[BASE][:12]}" in host["changes"]
        assert hub.host.said("sudo grep -o 'serve [^ ]*' /etc/systemd/system/trtedge.service").endswith(
            hub.commits[BASE]
        )


def test_a_model_that_does_not_exist_is_told_before_the_running_service_is_touched(commands, hub, by_id) -> None:
    before = hub.host.said("systemctl show trtedge -p MainPID --value")
    with commands.settings(hub.host.name, model="acme/Nowhere"):
        failed = commands.run("deploy", hub.host.name, "--json", "--no-smoke")
    (host,) = json.loads(failed.stdout)["hosts"]
    assert (failed.returncode, host["outcome"]) == (1, "failed")
    assert "acme/Nowhere" in host["error"]["message"]
    assert "Traceback" not in failed.stderr + failed.stdout
    assert hub.host.said("systemctl show trtedge -p MainPID --value") == before
