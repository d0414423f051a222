"""Rollouts over simulated hosts of two platforms: order, stops, what is put back, who else is kept out."""

from __future__ import annotations

import json
import signal

import pytest

from tests.lab.commands import outcomes, running_k

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


@pytest.fixture
def k(commands, hosts):
    """``k(5)`` writes another k for all four hosts; as it was at the end."""
    path = commands.directory / ".edgeops" / "lab" / "inventory.yml"
    before = path.read_text()

    def write(value: int) -> None:
        lines = []
        for line in before.splitlines():
            lines.append(line)
            name = line.strip().rstrip(":")
            if name in NAMES and line.rstrip().endswith(":"):
                lines.append(f"{' ' * (len(line) - len(line.lstrip()) + 2)}k: {value}")
        path.write_text("\n".join(lines) + "\n")

    yield write
    path.write_text(before)


@pytest.fixture
def versions(commands, k):
    """``versions("0.12.0")`` writes another version for all hosts; as it was at the end."""
    path = commands.directory / ".edgeops" / "lab" / "inventory.yml"

    def write(value: str) -> None:
        path.write_text(path.read_text().replace("all:\n", f"all:\n  vars: {{edgellm_version: {value}}}\n", 1))

    return write


def pids(hosts) -> dict[str, str]:
    return {name: host.said("systemctl show trtedge -p MainPID --value") for name, host in hosts.items()}


def test_canaries_of_each_platform_go_first_and_a_second_rollout_changes_nothing(hosts, commands, k) -> None:
    k(5)
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
    k(3)
    commands.json("deploy", EACH, "--no-smoke")


QUICK = {"baseline_tok_s": 160, "spec_tok_s": 260, "ttft_ms": 20}
BAD = {
    "does not load": ({"fail": "load"}, "deserialize"),
    "talks nonsense": ({"text": "garbage"}, "nonsense"),
    "is 30 % slower": ({"spec_tok_s_4": 182}, "its last accepted speed"),
}


@pytest.mark.parametrize(("knobs", "words"), BAD.values(), ids=BAD)
def test_a_version_that_is_bad_on_one_platform_stops_at_its_canary(hosts, commands, k, knobs, words) -> None:
    for name in ("spark-r1", "thor-r1"):
        hosts[name].set(**QUICK)
    measured = "spec_tok_s_4" in knobs
    if measured:
        commands.json("deploy", "spark-r1,thor-r1", "--smoke")
    before = pids(hosts)
    k(4)
    hosts["thor-r1"].set(**knobs)
    stopped = commands.run("deploy", EACH, "--canary", "1", "--json", *([] if measured else ["--no-smoke"]))
    for name in ("spark-r1", "thor-r1"):
        hosts[name].set(**dict.fromkeys({**QUICK, **knobs}, ""))
    document = json.loads(stopped.stdout)
    assert outcomes(document) == {
        "spark-r1": "rolled_back",
        "thor-r1": "rolled_back",
        "spark-r2": "skipped",
        "thor-r2": "skipped",
    }
    assert stopped.returncode == 4
    assert "the canary failed: thor-r1" in stopped.stderr
    assert words in stopped.stderr
    assert "serves again, verified" in document["hosts"][1]["error"]["message"]
    assert [running_k(host) for host in hosts.values()] == [3, 3, 3, 3]
    untouched = ("spark-r2", "thor-r2")
    assert {name: pids(hosts)[name] for name in untouched} == {name: before[name] for name in untouched}


def test_the_good_half_of_a_stopped_wave_may_be_kept(hosts, commands, k) -> None:
    k(4)
    hosts["thor-r1"].set(fail="load")
    try:
        stopped = commands.run("deploy", EACH, "--canary", "1", "--on-stop", "keep", "--no-smoke", "--json")
    finally:
        hosts["thor-r1"].set(fail="")
    assert outcomes(json.loads(stopped.stdout))["spark-r1"] == "deployed"
    assert running_k(hosts["spark-r1"]) == 4
    k(3)
    commands.json("deploy", EACH, "--no-smoke")


def test_failures_within_the_budget_do_not_stop_it(hosts, commands, k) -> None:
    k(2)  # a k that has not loaded there before
    hosts["spark-r1"].set(fail="load")
    try:
        done = commands.run("deploy", EACH, "--batches", "1", "--max-fail", "1", "--no-smoke", "--json")
    finally:
        hosts["spark-r1"].set(fail="")
    found = outcomes(json.loads(done.stdout))
    assert found == {"spark-r1": "rolled_back", "spark-r2": "deployed", "thor-r1": "deployed", "thor-r2": "deployed"}
    k(3)
    commands.json("deploy", EACH, "--no-smoke")


def test_a_second_rollout_meanwhile_changes_nothing_and_says_who_is_at_work(hosts, commands, k) -> None:
    k(2)
    waves = ("--canary", "spark-r1", "--batches", "1", "--no-smoke")
    with commands.started("deploy", EACH, *waves, "--pause", "600") as first:
        first.wait_for("the next begins in 600 s")
        before = pids(hosts)
        second = commands.run("deploy", "thor-r1,thor-r2", *waves[2:], "--json")
        first.process.send_signal(signal.SIGINT)
        code, told = first.finish()
    assert second.returncode == 5
    assert set(outcomes(json.loads(second.stdout)).values()) == {"skipped"}
    assert f"(pid {first.process.pid}) for rollout" in second.stderr
    assert pids(hosts) == before
    assert code == 130
    assert "not begun: interrupted" in told
    assert "edgeops deploy --resume" in told
    done = outcomes(commands.json("deploy", EACH, "--no-smoke"))
    assert done == {"spark-r1": "unchanged"} | dict.fromkeys(NAMES[1:], "deployed")


def test_what_befalls_hosts_in_the_middle_of_a_wave_does_not_hold_the_others(hosts, commands, k, versions) -> None:
    k(3)
    commands.json("deploy", EACH, "--no-smoke")
    untouched = {name: hosts[name] for name in ("spark-r2", "thor-r1")}
    before = pids(untouched)
    versions("0.12.0")
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
