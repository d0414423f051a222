"""``edgeops smoke`` with another k than the running one: served, measured, and production put back, come what may."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable

import pytest

pytestmark = pytest.mark.lab

QUICK = ("--max-tokens", "32", "--warmup", "0")
HOSTS_LIMIT_S = 120
"""The promise: two minutes after the control machine died the host serves its production setting again."""


@pytest.fixture(scope="module")
def spark(lab, commands):
    """A fast host with an administrator's own drop-in, deployed once."""
    host = lab.host("trial-01")
    host.set(baseline_tok_s=200, spec_tok_s=320, ttft_ms=20)
    commands.json("deploy", host.name, "--no-smoke")
    host.said("sudo mkdir -p /etc/systemd/system/trtedge.service.d")
    host.said("printf '[Service]\\nNice=5\\n' | sudo tee /etc/systemd/system/trtedge.service.d/mine.conf")
    host.said("sudo systemctl daemon-reload; sudo systemctl restart trtedge")
    commands.json("deploy", host.name, "--no-smoke")
    return host


@pytest.fixture
def production(spark):
    """What must be the same afterwards: the process's words, the unit, the drop-ins; and nothing may be left behind."""
    before = footprint(spark)
    yield before
    assert footprint(spark) == before
    assert spark.ssh("ls -d /run/edgeops-trial /run/systemd/system/trtedge.service.d").stdout == ""
    assert spark.said("systemctl list-units --all --no-legend 'edgeops-trial*'") == ""
    assert health(spark) == ["dspark", True]


def footprint(host) -> list[str]:
    return [
        command_line(host),
        host.said("systemctl cat trtedge"),
        host.said("cat /etc/systemd/system/trtedge.service.d/mine.conf"),
        host.said("systemctl show trtedge -p Restart,Nice"),
    ]


def command_line(host) -> str:
    return host.ssh("tr '\\0' ' ' < /proc/$(systemctl show trtedge -p MainPID --value)/cmdline").stdout


def health(host) -> list[object]:
    said = host.ssh(f"curl -s -m 5 http://{host.address}:8000/health").stdout
    capabilities = json.loads(said)["capabilities"] if said else {}
    return [capabilities.get("speculative_method"), capabilities.get("speculative_decoding")]


def await_that(holds: Callable[[], bool], seconds: float) -> float:
    """Ask until it holds; how long that took."""
    began = time.monotonic()
    while not holds():
        assert time.monotonic() - began < seconds, f"not within {seconds} s"
        time.sleep(0.5)
    return time.monotonic() - began


def entry(ran) -> dict:
    (host,) = json.loads(ran.stdout)["hosts"]
    return host


def test_every_k_is_measured_beside_the_baseline_and_production_is_as_before(spark, production, commands) -> None:
    ran = commands.run("smoke", spark.name, "--k", "0,1,3", "--json", *QUICK)
    assert ran.returncode == 0, ran.stderr
    assert "production serves again, verified: dspark with k=3" in ran.stderr
    (workload,) = entry(ran)["workloads"]
    assert list(workload["arms"]) == ["baseline", "k1", "k3"]
    assert [arm["requests"] for arm in workload["arms"].values()] == [12, 6, 6]
    assert [one["confidence"] for one in workload["speedup"].values()] == [0.99, 0.99]
    assert entry(ran)["server"]["baseline_kind"] == "drafting_off"
    again = commands.run("report", json.loads(ran.stdout)["run"])
    assert again.returncode == 0, again.stderr


def test_a_vanilla_engine_can_be_the_baseline(spark, production, commands) -> None:
    ran = commands.run("smoke", spark.name, "--baseline", "vanilla", "--json", *QUICK)
    assert ran.returncode == 0, ran.stderr
    assert entry(ran)["server"]["baseline_kind"] == "vanilla_engine"
    (workload,) = entry(ran)["workloads"]
    assert [arm["requests"] for arm in workload["arms"].values()] == [12, 6]
    assert "drift" in [guard["id"] for guard in entry(ran)["guards"]]


def test_what_cannot_be_served_is_reported_failed_and_production_is_put_back(spark, production, commands) -> None:
    spark.set(fail="load")
    try:
        ran = commands.run("smoke", spark.name, "--k", "3,6,60", "--json", *QUICK)
    finally:
        spark.set(fail="")
    assert ran.returncode == 1
    (workload,) = entry(ran)["workloads"]
    assert "Failed to deserialize the engine" in workload["speedup"]["k6"]["reason"]
    assert "proposes" in workload["speedup"]["k60"]["reason"]
    assert workload["speedup"]["k3"]["verdict"] == "faster"
    assert (workload["arms"]["k6"]["requests"], workload["arms"]["k6"]["e2e_tok_s"]) == (0, None)


def test_ctrl_c_puts_production_back_and_says_so(spark, production, commands) -> None:
    with commands.started("smoke", spark.name, "--k", "5,7", *QUICK) as running:
        running.wait_for("k=5")
        running.wait_for("measuring")
        running.process.send_signal(signal.SIGINT)
        code, told = running.finish()
    assert code == 130, told
    assert "production serves again, verified: dspark with k=3" in told
    assert "Traceback" not in told


def test_a_control_process_that_was_killed_is_not_missed(spark, production, commands) -> None:
    before = production[0]
    with commands.started("smoke", spark.name, "--k", "5,7", *QUICK) as running:
        running.wait_for("k=5")
        running.wait_for("measuring")
        assert command_line(spark) != before
        running.process.kill()
        running.finish()
    await_that(lambda: command_line(spark) == before and health(spark) == ["dspark", True], HOSTS_LIMIT_S)
    await_that(lambda: spark.ssh("test -e /run/edgeops-trial").returncode == 1, 30)


def test_a_lost_connection_is_gone_back_from(spark, production, commands) -> None:
    with commands.started("smoke", spark.name, "--k", "5", *QUICK) as running:
        running.wait_for("k=5")
        running.wait_for("measuring")
        spark.ssh("sudo kill -9 $(pgrep -f 'sshd: nvidia')")
        code, told = running.finish()
    assert code == 1, told
    assert "going back to put production back" in told
    assert "production serves again, verified: dspark with k=3" in told


def test_nobody_else_may_try_or_deploy_meanwhile(spark, production, commands) -> None:
    with commands.started("smoke", spark.name, "--k", "5", "--repeat", "3", *QUICK) as running:
        running.wait_for("measuring")
        second = commands.run("smoke", spark.name, "--k", "7", *QUICK)
        assert second.returncode == 5, second.stderr
        assert "locked by" in second.stderr
        assert "for smoke" in second.stderr
        assert running.finish()[0] == 0


def test_what_a_dead_run_left_is_put_back_before_anything_is_measured(spark, production, commands) -> None:
    """As after a timer that was stopped by hand: the drop-in is there, and nobody will take it away."""
    drop_in = "/run/systemd/system/trtedge.service.d/90-edgeops-smoke.conf"
    wrong = "[Service]\\nExecStart=\\nExecStart=/bin/sleep 9999\\n"
    spark.said(f"sudo mkdir -p $(dirname {drop_in}) /run/edgeops-trial; printf '{wrong}' | sudo tee {drop_in}")
    spark.said("sudo systemctl daemon-reload; sudo systemctl restart trtedge")
    ran = commands.run("smoke", spark.name, "--k", "5", "--json", *QUICK)
    assert ran.returncode == 0, ran.stderr
    assert "an earlier run was cut off" in ran.stderr


def test_a_service_that_is_not_healthy_is_not_tried_upon(spark, production, commands) -> None:
    spark.said("sudo systemctl stop trtedge")
    try:
        ran = commands.run("smoke", spark.name, "--k", "5", "--json", *QUICK)
        assert spark.said("systemctl is-active trtedge || true") == "inactive"
    finally:
        spark.said("sudo systemctl start trtedge")
        await_that(lambda: health(spark) == ["dspark", True], 60)
    assert ran.returncode == 1
    assert "the service is inactive, so nothing is tried" in entry(ran)["error"]["message"]


def test_a_drop_in_that_says_what_is_started_is_named_and_left_alone(spark, production, commands) -> None:
    path = "/etc/systemd/system/trtedge.service.d/theirs.conf"
    line = spark.said("grep ^ExecStart= /etc/systemd/system/trtedge.service")
    spark.ssh(f"sudo tee {path}", stdin=f"[Service]\nExecStart=\n{line}\n")
    spark.said("sudo systemctl daemon-reload")
    try:
        ran = commands.run("smoke", spark.name, "--k", "5", "--json", *QUICK)
        assert spark.ssh(f"test -e {path}").returncode == 0
    finally:
        spark.said(f"sudo rm {path}; sudo systemctl daemon-reload")
    assert ran.returncode == 1
    assert path in entry(ran)["error"]["message"]


def test_another_setting_in_the_inventory_than_on_the_host_is_refused(spark, production, commands) -> None:
    with commands.settings(spark.name, max_queued_requests=3):
        ran = commands.run("smoke", spark.name, "--k", "5", "--json", *QUICK)
    assert ran.returncode == 1
    assert "not what the inventory says" in entry(ran)["error"]["message"]
    assert "edgeops deploy" in entry(ran)["error"]["remedy"]
