"""Rollouts over simulated hosts of two platforms: order, stops, what is put back, who else is kept out."""

from __future__ import annotations

import json
import signal

import pytest

from tests.lab.commands import outcomes

pytestmark = pytest.mark.lab

NAMES = ("spark-r1", "spark-r2", "thor-r1", "thor-r2")
EACH = ",".join(NAMES)


@pytest.fixture(scope="module")
def hosts(lab, commands):
    """Four hosts, two of each platform, deployed to once."""
    made = {name: lab.host(name) for name in NAMES}
    assert commands.json("deploy", EACH, "--no-smoke")["ok"]
    yield made
    for name in NAMES:
        lab.drop(name)


@pytest.fixture(scope="module")
def declare(commands, hosts):
    """``declare(k=5)`` is what the inventory says of all four hosts from now on, and nothing else."""
    path = commands.directory / ".edgeops" / "lab" / "inventory.yml"
    bare = path.read_text()

    def write(**settings: object) -> None:
        path.write_text(bare.replace("all:\n", f"all:\n  vars: {json.dumps(settings)}\n", 1))

    return write


def command_lines(hosts) -> dict[str, str]:
    return {
        name: host.said(f"cat /proc/{pid}/cmdline | tr '\\0' ' '")
        for (name, host), pid in zip(hosts.items(), pids(hosts).values(), strict=True)
    }


def pids(hosts) -> dict[str, str]:
    return {name: host.said("systemctl show trtedge -p MainPID --value") for name, host in hosts.items()}


def test_canaries_of_each_platform_go_first_and_a_second_rollout_changes_nothing(hosts, commands, declare) -> None:
    declare(k=5)
    words = ("deploy", EACH, "--canary", "1", "--batches", "1,100%", "--no-smoke")
    document = commands.json(*words)
    assert [(host["host"], host["wave"]) for host in document["hosts"]] == [
        ("spark-r1", 1),
        ("thor-r1", 1),
        ("spark-r2", 2),
        ("thor-r2", 3),
    ]
    assert set(outcomes(document).values()) == {"deployed"}
    before = pids(hosts)
    assert set(outcomes(commands.json(*words)).values()) == {"unchanged"}
    assert pids(hosts) == before


QUICK = {"baseline_tok_s": 160, "spec_tok_s": 260, "ttft_ms": 20}
BAD = {
    "does not load": ({"max_queued_requests": 17}, {"fail": "load"}, "deserialize"),
    "talks nonsense": ({"max_queued_requests": 18}, {"text": "garbage"}, "nonsense"),
    "is 30 % slower": ({"k": 4}, {"spec_tok_s_4": 182}, "the last accepted speed, of k5"),
}


@pytest.mark.parametrize(("settings", "knobs", "words"), BAD.values(), ids=BAD)
def test_a_version_that_is_bad_on_one_platform_stops_at_its_canary(
    hosts, commands, declare, settings, knobs, words
) -> None:
    slower = "k" in settings
    for name in ("spark-r1", "thor-r1"):
        hosts[name].set(**QUICK)
    if slower:
        declare(k=5)
        commands.json("deploy", "spark-r1,thor-r1", "--smoke")
    lines, before = command_lines(hosts), pids(hosts)
    declare(**settings)
    hosts["thor-r1"].set(**knobs)
    stopped = commands.run("deploy", EACH, "--canary", "1", "--json", *([] if slower else ["--no-smoke"]))
    for name in ("spark-r1", "thor-r1"):
        hosts[name].set(**dict.fromkeys({**QUICK, **knobs}, ""))
    document = json.loads(stopped.stdout)
    assert [(host["host"], host["outcome"]) for host in document["hosts"]] == [
        ("spark-r1", "rolled_back"),
        ("thor-r1", "rolled_back"),
        ("spark-r2", "skipped"),
        ("thor-r2", "skipped"),
    ]
    assert stopped.returncode == 4
    assert "the canary failed: thor-r1" in stopped.stderr
    assert words in stopped.stderr
    assert "serves again, verified" in document["hosts"][1]["error"]["message"]
    assert command_lines(hosts) == lines
    assert [pids(hosts)[name] == before[name] for name in NAMES] == [False, True, False, True]


def test_the_good_half_of_a_stopped_wave_may_be_kept(hosts, commands, declare) -> None:
    declare(max_queued_requests=19)
    hosts["thor-r1"].set(fail="load")
    stopped = commands.run("deploy", EACH, "--canary", "1", "--on-stop", "keep", "--no-smoke", "--json")
    hosts["thor-r1"].set(fail="")
    assert outcomes(json.loads(stopped.stdout))["spark-r1"] == "deployed"
    assert ["--max-queued-requests 19" in line for line in command_lines(hosts).values()] == [True, False, False, False]


def test_failures_within_the_budget_do_not_stop_it(hosts, commands, declare) -> None:
    declare(max_queued_requests=20)
    hosts["spark-r1"].set(fail="load")
    done = commands.run("deploy", EACH, "--batches", "1", "--max-fail", "1", "--no-smoke", "--json")
    hosts["spark-r1"].set(fail="")
    assert outcomes(json.loads(done.stdout)) == {"spark-r1": "rolled_back"} | dict.fromkeys(NAMES[1:], "deployed")


def test_a_second_rollout_meanwhile_changes_nothing_and_says_who_is_at_work(hosts, commands, declare) -> None:
    declare(max_queued_requests=21)
    waves = ("--batches", "1", "--no-smoke")
    with commands.started("deploy", EACH, "--canary", "spark-r1", *waves, "--pause", "600") as first:
        first.wait_for("the next begins in 600 s")
        before = pids(hosts)
        second = commands.run("deploy", "thor-r1,thor-r2", *waves, "--json")
        first.process.send_signal(signal.SIGINT)
        code, told = first.finish()
    assert second.returncode == 5
    assert set(outcomes(json.loads(second.stdout)).values()) == {"skipped"}
    assert f"(pid {first.process.pid}) for rollout" in second.stderr
    assert pids(hosts) == before
    assert code == 130
    assert "not begun: interrupted" in told
    assert "edgeops deploy --resume" in told
    assert [host.ssh("test -e /var/lib/edgeops/lock").returncode for host in hosts.values()] == [1, 1, 1, 1]


def test_what_befalls_hosts_in_the_middle_of_a_wave_does_not_hold_the_others(hosts, commands, declare) -> None:
    declare(edgellm_version="0.12.0")
    untouched = {name: hosts[name] for name in ("spark-r2", "thor-r1")}
    before = pids(untouched)
    hosts["thor-r2"].set(load_s=60)
    for host in untouched.values():
        host.said("sudo systemd-run --unit=hold flock /var/lib/edgeops/pip/lock sleep infinity")
    with commands.started("deploy", EACH, "--no-smoke", "--json") as running:
        running.wait_for_each(("spark-r2", "installing"), ("thor-r1", "installing"))
        hosts["spark-r2"].said("sudo mount -t tmpfs -o size=60m none /opt/edgeops/releases")
        hosts["thor-r1"].said("sudo sed -i /find-links/d /etc/pip.conf")
        for host in untouched.values():
            host.said("sudo systemctl stop hold")
        running.wait_for_each(("thor-r2", " ready "))
        hosts["thor-r2"].ssh("sudo systemd-run --no-block sh -c 'systemctl stop ssh.service; pkill -9 -x sshd'")
        code, told = running.finish()
    assert code == 1
    document = json.loads(told[told.index("\n{\n") :])
    ended = {host["host"]: host for host in document["hosts"]}
    assert outcomes(document) == {"spark-r1": "deployed"} | dict.fromkeys(("spark-r2", "thor-r1", "thor-r2"), "failed")
    assert "No space left on device" in ended["spark-r2"]["error"]["message"]
    assert "No matching distribution" in ended["thor-r1"]["error"]["message"]
    lost = "thor-r2: connection lost, when the switch was begun; what is served there now is not known"
    assert ended["thor-r2"]["error"]["message"] == lost
    assert pids(untouched) == before
    for name, host in untouched.items():
        assert "the running service was not touched" in ended[name]["error"]["message"]
        assert "0.12.0" not in host.said("ls /opt/edgeops/releases")
