"""``edgeops deploy`` on a simulated host: real sshd, sudo, systemd, pip and the vendor's server, a scripted engine."""

from __future__ import annotations

import json
import signal
import time

import pytest

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def spark(lab, commands):
    """A host that was deployed once, with what that deploy said."""
    host = lab.host("deploy-01")
    done = commands.json("deploy", host.name, "--no-smoke")
    assert done["ok"], done
    return host


def outcome(document) -> dict:
    (host,) = document["hosts"]
    return host


def main_pid(host) -> str:
    return host.said("systemctl show trtedge -p MainPID --value")


def running_k(host) -> int:
    line = host.said(f"tr '\\0' '\\n' < /proc/{main_pid(host)}/cmdline | grep num_speculative")
    return json.loads(line)["num_speculative_tokens"]


def test_a_new_host_serves_with_dspark_as_an_unprivileged_user_on_loopback(spark) -> None:
    assert spark.said("systemctl is-active trtedge") == "active"
    assert spark.said("systemctl show trtedge -p User --value") == "trtedge"
    assert spark.said(f"stat -c %U /proc/{main_pid(spark)}") == "trtedge"
    listeners = spark.said(f"sudo ss -Hltnp | grep pid={main_pid(spark)}").split("\n")
    assert [line.split()[3] for line in listeners] == [f"{spark.address}:8000"]
    assert (
        spark.said("/opt/edgeops/current/venv/bin/pip show tensorrt-edgellm | grep ^Version") == "Version: 0.11.1+lab"
    )
    assert running_k(spark) == 3
    health = json.loads(spark.said(f"curl -s http://{spark.address}:8000/health"))
    assert health["capabilities"]["speculative_method"] == "dspark"


def test_the_extra_is_really_installed(spark) -> None:
    assert spark.said("/opt/edgeops/current/venv/bin/python -c 'import fastapi, av; print(fastapi.__version__)'")


def test_systemd_finds_nothing_wrong_with_the_unit_where_it_runs(spark) -> None:
    answer = spark.ssh("sudo systemd-analyze verify --man=no trtedge.service")
    assert (answer.returncode, answer.stdout + answer.stderr) == (0, "")


def test_a_second_deploy_changes_nothing_and_restarts_nothing(spark, commands) -> None:
    before, began = main_pid(spark), time.monotonic()
    host = outcome(commands.json("deploy", spark.name))
    assert (host["outcome"], host["changes"], host["smoke"]) == ("unchanged", [], None)
    assert time.monotonic() - began < 10
    assert main_pid(spark) == before
    assert host["simulated"] is True


def test_a_dry_run_says_what_it_would_do_and_does_nothing(spark, commands) -> None:
    with commands.settings(spark.name, k=6):
        host = outcome(commands.json("deploy", spark.name, "--dry-run"))
        assert host["changes"] == ["change trtedge.service", "restart trtedge"]
    assert running_k(spark) == 3
    assert outcome(commands.json("deploy", spark.name))["outcome"] == "unchanged"


def test_another_k_is_a_restart_and_no_install(spark, commands) -> None:
    release = spark.said("readlink /opt/edgeops/current")
    with commands.settings(spark.name, k=5):
        host = outcome(commands.json("deploy", spark.name, "--no-smoke"))
        assert (host["outcome"], host["changes"]) == ("deployed", ["change trtedge.service", "restart trtedge"])
        assert running_k(spark) == 5
    assert spark.said("readlink /opt/edgeops/current") == release
    assert outcome(commands.json("deploy", spark.name, "--no-smoke"))["outcome"] == "deployed"
    assert running_k(spark) == 3


def test_a_stopped_service_is_started_again(spark, commands) -> None:
    spark.said("sudo systemctl stop trtedge")
    host = outcome(commands.json("deploy", spark.name, "--no-smoke"))
    assert (host["outcome"], host["changes"]) == ("deployed", ["start trtedge"])


def test_a_unit_edited_by_hand_is_put_right_and_a_drop_in_is_left_alone(spark, commands) -> None:
    spark.said("sudo sed -i s/OOMScoreAdjust=500/OOMScoreAdjust=-900/ /etc/systemd/system/trtedge.service")
    spark.said("sudo mkdir -p /etc/systemd/system/trtedge.service.d")
    spark.said("printf '[Service]\\nNice=5\\n' | sudo tee /etc/systemd/system/trtedge.service.d/mine.conf")
    host = outcome(commands.json("deploy", spark.name, "--no-smoke"))
    assert host["changes"] == ["change trtedge.service", "restart trtedge"]
    assert "OOMScoreAdjust=500" in spark.said("cat /etc/systemd/system/trtedge.service")
    assert spark.said(f"ps -o ni= -p {main_pid(spark)}") == "5"
    spark.said("sudo rm -r /etc/systemd/system/trtedge.service.d; sudo systemctl daemon-reload")
    host = outcome(commands.json("deploy", spark.name, "--no-smoke"))
    assert host["changes"] == ["restart trtedge: it runs from something else than was verified"]


def test_an_engine_that_does_not_load_is_undone_and_its_own_words_are_shown(spark, commands) -> None:
    spark.set(fail="load")
    try:
        with commands.settings(spark.name, k=2):
            failed = commands.run("deploy", spark.name, "--json", "--no-smoke")
    finally:
        spark.set(fail="")
    host = outcome(json.loads(failed.stdout))
    assert failed.returncode == 4
    assert host["outcome"] == "rolled_back"
    assert "Failed to deserialize the engine" in host["error"]["message"]
    assert "serves again, verified" in host["error"]["message"]
    assert any("Failed to deserialize" in line for line in host["error"]["log_tail"])
    assert running_k(spark) == 3
    assert outcome(commands.json("deploy", spark.name))["outcome"] == "unchanged"


def test_an_interruption_after_the_switch_puts_the_former_service_back(spark, commands) -> None:
    spark.set(load_s=60)
    try:
        with commands.settings(spark.name, k=4), commands.started("deploy", spark.name, "--no-smoke") as running:
            running.wait_for("Speculative decoding enabled")
            spark.set(load_s="")
            running.process.send_signal(signal.SIGINT)
            code, told = running.finish()
    finally:
        spark.set(load_s="")
    assert code == 130, told
    assert "serves again, verified" in told
    assert "Traceback" not in told
    assert running_k(spark) == 3


def test_a_run_that_was_killed_after_the_switch_still_leaves_the_verified_service_to_go_back_to(
    spark, commands
) -> None:
    spark.set(load_s=60)
    with commands.settings(spark.name, k=4), commands.started("deploy", spark.name, "--no-smoke") as running:
        running.wait_for("Speculative decoding enabled")
        running.process.kill()
        running.finish()
    spark.set(load_s="", fail="load")
    try:
        with commands.settings(spark.name, k=6):
            # The killed run's lock would expire by itself after a while.
            failed = commands.run("deploy", spark.name, "--json", "--no-smoke", "--steal-lock", "--yes")
    finally:
        spark.set(fail="")
    assert outcome(json.loads(failed.stdout))["outcome"] == "rolled_back", failed.stdout
    assert running_k(spark) == 3


def test_another_version_is_installed_beside_and_back_again_needs_no_install(spark, commands) -> None:
    former = spark.said("readlink /opt/edgeops/current")
    with commands.settings(spark.name, edgellm_version="0.12.0"):
        host = outcome(commands.json("deploy", spark.name, "--no-smoke"))
        assert host["outcome"] == "deployed"
        assert host["previous"] == former.rsplit("/", 1)[-1]
        assert host["release"].startswith("0.12.0-")
        assert "edgellm serve" in spark.said(f"tr '\\0' ' ' < /proc/{main_pid(spark)}/cmdline")
    assert spark.ssh(f"test -x {former}/venv/bin/trtedge").returncode == 0
    host = outcome(commands.json("deploy", spark.name, "--no-smoke"))
    assert not any("install" in change for change in host["changes"])
    assert spark.said("readlink /opt/edgeops/current") == former


def test_a_first_deploy_that_fails_leaves_no_running_half_and_a_rerun_converges(lab, commands) -> None:
    host = lab.host("deploy-02")
    host.set(fail="load")
    failed = commands.run("deploy", host.name, "--json", "--no-smoke")
    result = outcome(json.loads(failed.stdout))
    assert (failed.returncode, result["outcome"], result["release"]) == (1, "failed", None)
    assert host.ssh("systemctl cat trtedge").returncode != 0
    assert host.ssh("ls /etc/systemd/system/multi-user.target.wants/trtedge.service").returncode != 0
    assert host.ssh("pgrep -f 'trtedge serve'").returncode == 1
    host.set(fail="")
    assert outcome(commands.json("deploy", host.name, "--no-smoke"))["outcome"] == "deployed"
    lab.drop(host.name)


def test_a_k_that_the_draft_cannot_propose_is_refused_before_anything_is_touched(spark, commands) -> None:
    before = main_pid(spark)
    with commands.settings(spark.name, k=40):
        failed = commands.run("deploy", spark.name, "--json")
    host = outcome(json.loads(failed.stdout))
    assert (failed.returncode, host["outcome"]) == (3, "refused")
    assert "k" in host["error"]["message"]
    assert main_pid(spark) == before


def test_a_draft_of_another_model_is_told_before_the_running_service_is_touched(spark, commands) -> None:
    before = main_pid(spark)
    draft = "/opt/lab/models/other-DSpark"
    spark.said(f"sudo mkdir -p {draft} && echo '{{\"hidden_size\": 9}}' | sudo tee {draft}/config.json")
    with commands.settings(spark.name, draft_model=draft):
        failed = commands.run("deploy", spark.name, "--json")
    host = outcome(json.loads(failed.stdout))
    assert (failed.returncode, host["outcome"]) == (1, "failed")
    assert "hidden_size" in host["error"]["message"]
    assert main_pid(spark) == before


def test_a_key_is_asked_for_by_the_server_and_seen_in_no_process_list(spark, commands, tmp_path) -> None:
    key = tmp_path / "key"
    key.write_text("s3cret-of-the-test\n")
    with commands.settings(spark.name, api_key_file=str(key)):
        host = outcome(commands.json("deploy", spark.name, "--no-smoke"))
        assert host["outcome"] == "deployed", host
        assert "s3cret" not in spark.said("cat /proc/[0-9]*/cmdline | tr '\\0' ' '")
        assert "s3cret" not in spark.said("systemctl show trtedge; sudo journalctl -u trtedge --no-pager")
        assert spark.said("sudo stat -c '%a %U' /etc/edgeops/api_key") == "600 root"
        models = f"http://{spark.address}:8000/v1/models"
        assert spark.said(f"curl -s -o /dev/null -w '%{{http_code}}' {models}") == "401"
        with_key = f"curl -s -o /dev/null -w '%{{http_code}}' -H 'Authorization: Bearer s3cret-of-the-test' {models}"
        assert spark.said(with_key) == "200"
        assert outcome(commands.json("deploy", spark.name))["outcome"] == "unchanged"
    assert outcome(commands.json("deploy", spark.name, "--no-smoke"))["outcome"] == "deployed"


def test_a_model_that_the_service_user_may_not_read_is_told_before_the_switch(spark, commands) -> None:
    before = main_pid(spark)
    spark.said("sudo cp -r /opt/lab/models/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4 /srv/mine")
    spark.said("sudo chmod -R go= /srv/mine")
    with commands.settings(spark.name, model="/srv/mine"):
        failed = commands.run("deploy", spark.name, "--json")
    host = outcome(json.loads(failed.stdout))
    assert (failed.returncode, host["outcome"]) == (1, "failed")
    assert "may not read /srv/mine" in host["error"]["message"]
    assert "chmod" in host["error"]["remedy"]
    assert main_pid(spark) == before


def test_a_start_that_is_refused_for_want_of_memory_says_so_and_is_undone(spark, commands) -> None:
    with commands.settings(spark.name, memory_reserve_gib=90000, accept=["model.memory", "host.memory"]):
        failed = commands.run("deploy", spark.name, "--json", "--no-smoke")
    host = outcome(json.loads(failed.stdout))
    assert (failed.returncode, host["outcome"]) == (4, "rolled_back"), host
    assert "MemAvailable is" in host["error"]["message"]
    assert running_k(spark) == 3


def test_an_installation_without_packages_to_install_fails_before_the_running_service_is_touched(
    spark, commands
) -> None:
    before = main_pid(spark)
    spark.said(
        "sudo mv /etc/pip.conf /etc/pip.conf.away; printf '[global]\\nno-index = true\\n' | sudo tee /etc/pip.conf"
    )
    try:
        with commands.settings(spark.name, edgellm_version="0.11.0"):
            failed = commands.run("deploy", spark.name, "--json")
    finally:
        spark.said("sudo mv /etc/pip.conf.away /etc/pip.conf")
    host = outcome(json.loads(failed.stdout))
    assert (failed.returncode, host["outcome"]) == (1, "failed")
    assert host["error"]["phase"] == "install"
    assert "No matching distribution found for tensorrt-edgellm" in host["error"]["message"]
    assert main_pid(spark) == before
