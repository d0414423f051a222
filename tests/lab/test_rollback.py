"""Back to what served before, away altogether, and who did what: on a simulated host."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def spark(lab, commands):
    """A host with two deployments: k=3, then k=5."""
    host = lab.host("rollback-01")
    deploy(commands, host)
    with commands.settings(host.name, k=5):
        deploy(commands, host)
    return host


def deploy(commands, host) -> dict:
    (result,) = commands.json("deploy", host.name, "--no-smoke")["hosts"]
    return result


def running_k(host) -> int:
    pid = host.said("systemctl show trtedge -p MainPID --value")
    line = host.said(f"tr '\\0' '\\n' < /proc/{pid}/cmdline | grep num_speculative")
    return json.loads(line)["num_speculative_tokens"]


def test_a_rollback_serves_what_served_before_and_is_its_own_way_back(spark, commands) -> None:
    assert running_k(spark) == 5
    commands.json("rollback", spark.name)
    assert running_k(spark) == 3
    commands.json("rollback", spark.name)
    assert running_k(spark) == 5


def test_after_a_rollback_the_matching_settings_are_unchanged(spark, commands) -> None:
    commands.json("rollback", spark.name)
    assert deploy(commands, spark)["outcome"] == "unchanged"
    commands.json("rollback", spark.name)


def test_a_rollback_that_does_not_come_up_leaves_what_served(spark, commands) -> None:
    before = running_k(spark)
    spark.said("sudo rm -f /var/lib/trtedge/lab-loads.json")  # nothing counts as loaded before
    pid = spark.said("systemctl show trtedge -p MainPID --value")
    spark.set(fail="load")
    failed = commands.run("rollback", spark.name, "--json")
    spark.set(fail="")
    (host,) = json.loads(failed.stdout)["hosts"]
    assert failed.returncode == 1
    assert "Failed to deserialize" in host["error"]["message"]
    assert spark.said("systemctl show trtedge -p MainPID --value") != pid
    commands.json("deploy", spark.name, "--no-smoke")
    with commands.settings(spark.name, k=before):
        commands.json("deploy", spark.name, "--no-smoke")
    assert running_k(spark) == before


def test_a_deployment_that_is_not_kept_is_told_with_those_that_are(spark, commands) -> None:
    failed = commands.run("rollback", spark.name, "--to", "0.9.9")
    assert failed.returncode == 1
    assert "0.9.9" in failed.stdout
    assert "Kept: " in failed.stdout


def test_another_operator_is_told_who_is_at_work_and_since_when(spark, commands) -> None:
    spark.set(load_s=60)
    try:
        with (
            commands.settings(spark.name, k=2),
            commands.started("deploy", spark.name, "--no-smoke") as first,
        ):
            first.wait_for("Speculative decoding enabled")
            second = commands.run("deploy", spark.name, "--no-smoke", "--json")
            spark.set(load_s="")
            first.process.send_signal(2)
            first.finish()
    finally:
        spark.set(load_s="")
    (host,) = json.loads(second.stdout)["hosts"]
    assert second.returncode == 5
    assert host["error"]["phase"] == "lock"
    assert "for deploy, run" in host["error"]["message"]
    assert f"(pid {first.process.pid})" in host["error"]["message"]


def test_a_killed_operator_blocks_nobody_for_long(spark, commands) -> None:
    spark.set(load_s=60)
    with commands.settings(spark.name, k=2), commands.started("deploy", spark.name, "--no-smoke") as first:
        first.wait_for("Speculative decoding enabled")
        first.process.kill()
        first.finish()
    spark.set(load_s="")
    codes = []
    while not codes or (codes[-1] == 5 and len(codes) < 60):
        codes.append(commands.run("deploy", spark.name, "--no-smoke").returncode)
    assert codes[0] == 5
    assert codes[-1] == 0


def test_every_change_and_its_end_is_in_the_hosts_audit_log(spark, commands) -> None:
    (host,) = commands.json("audit", spark.name)["hosts"]
    entries = host["entries"]
    assert [entry["what"] for entry in entries[:3]] == ["deploy", "deploy", "rollback"]
    assert {"deployed", "failed"} <= {entry["outcome"] for entry in entries}
    assert all(entry["who"] and entry["run"] and entry["at"] for entry in entries)
    assert any("Failed to deserialize" in entry["why"] for entry in entries)


def test_a_removed_host_has_nothing_of_ours_and_can_be_deployed_to_again(spark, commands) -> None:
    commands.json("remove", spark.name, "--yes")
    left = spark.said(
        "sudo find / -xdev \\( -name '*edgeops*' -o -name '*trtedge*' \\) -not -path '/proc/*' -not -path '/opt/lab/*' "
        "-not -path '/sys/*' -not -path '/var/log/*' -not -name 'edgeops-lab' 2>/dev/null || true"
    )
    assert left == ""
    assert spark.ssh("getent passwd trtedge").returncode == 2
    (host,) = commands.json("remove", spark.name, "--yes")["hosts"]
    assert host["outcome"] == "unchanged"
    assert deploy(commands, spark)["outcome"] == "deployed"
