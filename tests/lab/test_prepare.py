"""``edgeops prepare`` on simulated hosts: a real apt with a real repository, where only the packages are stand-ins."""

from __future__ import annotations

import json
import signal
import subprocess
from contextlib import contextmanager

import pytest

from edgeops.lab.debs import TENSORRT_10, Deb, build_deb

pytestmark = pytest.mark.lab

PINNED = "10.16.1.11-1+cuda13.2"
STATE = """
dpkg-query -W -f='${Package} ${Status} ${Version}\\n'; apt-mark showhold; cat /etc/group
places='/var/lib/apt /var/cache/apt /var/lib/dpkg /var/lib/edgeops /opt/edgeops'
sudo find $places -printf '%p %s %T@\\n' 2>/dev/null; true
"""


@contextmanager
def a_host(lab, name: str, *faults: str):
    host = lab.host(name, *faults)
    try:
        yield host
    finally:
        lab.drop(host.name)


def prepared(commands, target: str, *words: str, code: int = 0, stdin: str = "") -> list[dict]:
    """The hosts of the document; the command must end with ``code``."""
    done = commands.run("prepare", target, "--json", *words, stdin=stdin)
    assert done.returncode == code, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    document = json.loads(done.stdout)
    assert document["schema"] == "edgeops.prepare/1"
    return document["hosts"]


def state(host) -> str:
    """Packages, holds and groups, and every file of apt, dpkg and edgeops with its size and time."""
    return host.said(STATE)


def versions(host) -> set[str]:
    said = host.said(f"dpkg-query -W -f='${{Status}} ${{Version}}\\n' {' '.join(TENSORRT_10)} 2>/dev/null; true")
    return {line.split()[-1] for line in said.splitlines() if line.split()[1:3] == ["ok", "installed"]}


def held(host) -> set[str]:
    return set(host.said("apt-mark showhold").split())


@pytest.fixture(scope="module")
def bare(lab):
    """A Spark as it leaves the factory: without TensorRT. The tests below share it, in their order."""
    with a_host(lab, "prep-bare", "no-tensorrt") as host:
        yield host


def test_a_dry_run_tells_the_plan_and_changes_nothing(bare, commands) -> None:
    before = state(bare)
    (host,) = prepared(commands, bare.name, "--dry-run")
    assert (host["outcome"], host["simulated"], host["error"]) == ("unchanged", True, None)
    assert any(PINNED in change and all(name in change for name in TENSORRT_10) for change in host["changes"])
    assert all("nvidia" not in change and "cuda-" not in change for change in host["changes"])
    assert state(bare) == before


def test_without_a_terminal_and_without_yes_nothing_is_done(bare, commands) -> None:
    before = state(bare)
    done = commands.run("prepare", bare.name)
    assert done.returncode == 2
    assert "--yes" in done.stderr
    assert PINNED in done.stderr
    assert state(bare) == before


def test_a_version_that_no_source_has_is_refused_before_anything_is_installed(bare, commands) -> None:
    with commands.settings(bare.name, tensorrt_version="10.99.0.1"):
        (host,) = prepared(commands, bare.name, "--yes", code=3)
        (dry,) = prepared(commands, bare.name, "--dry-run", code=3)
        bare.said("echo 'deb file:/nowhere ./' | sudo tee /etc/apt/sources.list.d/nowhere.list")
        (down,) = prepared(commands, bare.name, "--yes", code=3)
        bare.said("sudo rm /etc/apt/sources.list.d/nowhere.list")
    assert (host["outcome"], host["changes"]) == ("refused", [])
    assert "10.99.0.1" in host["error"]["message"]
    assert "10.16.2.10-1+cuda13.2" in host["error"]["message"]
    assert "tensorrt_version" in host["error"]["remedy"]
    assert dry["outcome"] == "refused"
    assert "10.99.0.1" in down["error"]["message"]
    assert "/nowhere" in down["error"]["message"]
    assert versions(bare) == set()


def test_a_plan_that_would_remove_a_package_is_refused_by_name(bare, commands) -> None:
    control = (
        "Package: keeper\\nVersion: 1\\nArchitecture: all\\nMaintainer: x\\nConflicts: libnvinfer10\\nDescription: x\\n"
    )
    bare.said(f"mkdir -p /tmp/keeper/DEBIAN && printf '{control}' > /tmp/keeper/DEBIAN/control")
    bare.said("dpkg-deb -b /tmp/keeper /tmp/keeper.deb && sudo dpkg -i /tmp/keeper.deb")
    (host,) = prepared(commands, bare.name, "--yes", code=3)
    assert (host["outcome"], host["error"]["phase"]) == ("refused", "plan")
    assert "remove keeper" in host["error"]["message"]
    bare.said("sudo dpkg --purge keeper")
    assert versions(bare) == set()


def offer(host, version: str, *others: Deb, needs: str = "") -> None:
    """A second apt source, with TensorRT in a build that edgeops does not know; the host has not read its lists yet."""
    extra = host.root / "opt/extra"
    extra.mkdir(exist_ok=True)
    for deb in (
        *others,
        Deb("libnvinfer10", version, depends=needs),
        *(Deb(name, version) for name in TENSORRT_10[1:]),
    ):
        build_deb(deb, extra)
    index = subprocess.run(["dpkg-scanpackages", "."], cwd=extra, capture_output=True, text=True, check=True)
    (extra / "Packages").write_text(index.stdout)
    host.said("echo 'deb [trusted=yes] file:/opt/extra ./' | sudo tee /etc/apt/sources.list.d/extra.list")


def test_a_plan_that_touches_the_driver_is_refused_by_name(bare, commands) -> None:
    offer(bare, "10.17.0.5-1+cuda13.3", Deb("nvidia-driver-999", "999.1"), needs="nvidia-driver-999")
    with commands.settings(bare.name, tensorrt_version="10.17.0.5"):
        (host,) = prepared(commands, bare.name, "--yes", code=3)
    assert (host["outcome"], host["error"]["phase"]) == ("refused", "inspect")
    assert "nvidia-driver-999" in host["error"]["message"]
    assert versions(bare) == set()
    assert bare.ssh("dpkg -s nvidia-driver-999").returncode == 1


def test_an_installation_that_fails_is_told_in_apts_words(bare, commands) -> None:
    offer(bare, "10.17.0.6-1+cuda13.3")
    (bare.root / "opt/extra/libnvinfer-bin_10.17.0.6-1+cuda13.3_all.deb").unlink()
    with commands.settings(bare.name, tensorrt_version="10.17.0.6"):
        (host,) = prepared(commands, bare.name, "--yes", code=1)
    assert (host["outcome"], host["error"]["phase"]) == ("failed", "install")
    assert "Failed to fetch" in host["error"]["message"]
    assert "apt-get update" in host["error"]["remedy"]
    assert json.loads(bare.said("tail -1 /var/lib/edgeops/audit.jsonl"))["outcome"] == "failed"
    assert versions(bare) == set()


def test_packages_that_are_installed_and_do_not_work_are_no_success(bare, commands) -> None:
    """These have no bindings for Python in them."""
    offer(bare, "10.17.0.7-1+cuda13.3")
    with commands.settings(bare.name, tensorrt_version="10.17.0.7"):
        (host,) = prepared(commands, bare.name, "--yes", code=1)
    assert (host["outcome"], host["error"]["phase"]) == ("failed", "check")
    assert "tensorrt.python still fails" in host["error"]["message"]
    assert versions(bare) == {"10.17.0.7-1+cuda13.3"}
    bare.said(f"sudo apt-get remove -y --allow-change-held-packages {' '.join(TENSORRT_10)}")


def test_it_brings_a_spark_without_tensorrt_to_green_at_one_version_on_hold(bare, commands) -> None:
    assert commands.run("check", bare.name).returncode == 3
    (host,) = prepared(commands, bare.name, "--yes")
    assert (host["outcome"], host["left"]) == ("prepared", [])
    assert versions(bare) == {PINNED}
    assert held(bare) == set(TENSORRT_10)
    assert commands.run("check", bare.name).returncode == 0
    entry = json.loads(bare.said("tail -1 /var/lib/edgeops/audit.jsonl"))
    assert (entry["what"], entry["outcome"], entry["changes"]) == ("prepare", "prepared", host["changes"])


def test_the_second_run_changes_nothing_and_asks_nothing(bare, commands) -> None:
    before = state(bare)
    (host,) = prepared(commands, bare.name)
    assert (host["outcome"], host["changes"]) == ("unchanged", [])
    assert [phase["name"] for phase in host["phases"]] == ["probe", "plan"]
    assert state(bare) == before


def test_what_is_on_hold_at_another_version_is_left_until_the_hold_is_given_up(bare, commands) -> None:
    with commands.settings(bare.name, tensorrt_version="10.13.3.9"):
        (host,) = prepared(commands, bare.name, "--yes", code=3)
        assert host["outcome"] == "refused"
        assert f"on hold at {PINNED}" in host["error"]["message"]
        assert "apt-mark unhold libnvinfer10" in host["error"]["remedy"]
        assert versions(bare) == {PINNED}
        bare.said(f"sudo apt-mark unhold {' '.join(TENSORRT_10)}")
        (host,) = prepared(commands, bare.name, "--yes")
        assert versions(bare) == {"10.13.3.9-1+cuda13.0"}
        assert held(bare) == set(TENSORRT_10)
        assert commands.run("check", bare.name).returncode == 0


def test_hosts_with_different_faults_are_prepared_in_one_call(lab, commands) -> None:
    with a_host(lab, "prep-eleven", "tensorrt-11") as eleven, a_host(lab, "prep-venv", "no-venv") as venv:
        venv.said("sudo groupdel render && sudo rm -rf /var/lib/apt/lists/* && sudo rm -f /var/cache/apt/*.bin")
        first, second = prepared(commands, f"{eleven.name},{venv.name}", "--yes")
        assert (first["outcome"], second["outcome"]) == ("prepared", "prepared")
        assert [verdict["id"] for verdict in first["left"]] == ["tensorrt.consistent"]
        assert versions(eleven) == {PINNED}
        assert second["changes"][0] == "create the system group render"
        assert second["changes"][1] == "refresh the package lists"
        assert any("python3.11-venv" in change for change in second["changes"])
        assert venv.said("python3 -m venv /tmp/venv && /tmp/venv/bin/python -V")
        assert "render" in venv.said("getent group render")
        assert commands.run("check", f"{eleven.name},{venv.name}").returncode == 0
        again = prepared(commands, f"{eleven.name},{venv.name}", "--yes")
        assert [host["changes"] for host in again] == [[], []]


def test_root_with_a_password_is_asked_for_first(lab, commands) -> None:
    with a_host(lab, "prep-password", "no-tensorrt", "sudo-password") as host:
        (refused,) = prepared(commands, host.name, "--yes", code=3)
        assert (refused["outcome"], refused["changes"]) == ("refused", [])
        assert "--ask-sudo" in refused["error"]["remedy"]
        (done,) = prepared(commands, host.name, "--yes", "--ask-sudo", stdin="lab\n")
        assert (done["outcome"], done["left"]) == ("prepared", [])
        assert versions(host) == {PINNED}


def test_nothing_is_done_on_a_good_host_and_its_other_troubles_are_listed(lab, commands) -> None:
    with a_host(lab, "prep-memory", "low-memory") as host:
        before = state(host)
        (result,) = prepared(commands, host.name)
        assert (result["outcome"], result["changes"]) == ("unchanged", [])
        assert {verdict["id"]: verdict["status"] for verdict in result["left"]}["model.memory"] == "fail"
        assert all(verdict["remedy"] for verdict in result["left"])
        assert state(host) == before


HOLD = """
import fcntl, os
for name in ("lock-frontend", "lock"):
    file = open("/var/lib/dpkg/" + name, "w")
    fcntl.lockf(file, fcntl.LOCK_EX)
    globals()[name] = file
os.mkfifo("/run/give-back")
print("held", flush=True)
open("/run/give-back").read()
"""


@pytest.fixture
def locked_host(lab):
    """A host whose package lock is held until somebody writes to /run/give-back."""
    with a_host(lab, "prep-lock", "no-tensorrt") as host:
        host.ssh("cat > /tmp/hold.py", stdin=HOLD)
        host.said("sudo systemd-run -q --unit=holder python3 /tmp/hold.py")
        host.said("until journalctl -u holder 2>/dev/null | grep -q held; do sleep 0.1; done")
        yield host


def give_back(host) -> None:
    host.said("echo done | sudo tee /run/give-back && while systemctl -q is-active holder; do sleep 0.1; done")


def test_the_package_lock_is_waited_for_and_another_operator_is_told_who_is_at_it(locked_host, commands) -> None:
    with commands.started("prepare", locked_host.name, "--yes") as waiting:
        waiting.wait_for("waiting for another program")
        second = commands.run("prepare", locked_host.name, "--yes")
        assert second.returncode == 5
        assert "locked by" in second.stdout
        assert versions(locked_host) == set()
        give_back(locked_host)
        code, said = waiting.finish()
    assert code == 0, said
    assert versions(locked_host) == {PINNED}


def test_after_an_interruption_nothing_is_installed_behind_the_operators_back(locked_host, commands) -> None:
    with commands.started("prepare", locked_host.name, "--yes") as waiting:
        waiting.wait_for("waiting for another program")
        waiting.process.send_signal(signal.SIGINT)
        code, said = waiting.finish()
    assert code == 130, said
    assert "interrupted" in said
    locked_host.said("while pgrep -x apt-get; do sleep 0.1; done")
    give_back(locked_host)
    assert versions(locked_host) == set()
    (host,) = prepared(commands, locked_host.name, "--yes")
    assert (host["outcome"], versions(locked_host)) == ("prepared", {PINNED})
