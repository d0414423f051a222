"""What has drifted on a simulated host is named by ``edgeops status``, and gone after the remedy that it names."""

from __future__ import annotations

import json
import shlex
import signal
from typing import Any

import pytest

pytestmark = pytest.mark.lab

UNIT = "/etc/systemd/system/trtedge.service"
FILES = "sudo find /etc /opt /usr /var/lib/edgeops -xdev -printf '%p %T@ %s\\n' | sort"
LOCK = """
import json, time
with open("/proc/sys/kernel/random/boot_id") as file:
    boot = file.read().strip()
words = {"owner": "ann", "host": "desk", "pid": 7, "purpose": "tune", "run": "r", "since": "now", "token": "t"}
with open("/var/lib/edgeops/lock", "w") as file:
    json.dump(dict(words, beat=time.monotonic(), boot=boot), file)
"""
WHEEL = """
import zipfile
about = "annotated_types-99.0.dist-info"
with zipfile.ZipFile("/tmp/annotated_types-99.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("annotated_types/__init__.py", "")
    wheel.writestr(about + "/METADATA", "Metadata-Version: 2.1\\nName: annotated-types\\nVersion: 99.0\\n")
    wheel.writestr(about + "/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(about + "/RECORD", "")
"""


@pytest.fixture(scope="module")
def hosts(lab, commands):
    """A DGX Spark whose draft lies in a directory of its own, and a Jetson; both deployed."""
    found = {name: lab.host(name) for name in ("status-01", "thor-s1")}
    spark = found["status-01"]
    spark.said("sudo cp -r /opt/lab/models/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4-DSpark /srv/draft")
    spark.said("sudo dd if=/dev/zero of=/srv/draft/weights.bin bs=1M count=2 status=none")
    with commands.settings("status-01", draft_model="/srv/draft"):
        commands.json("deploy", ",".join(found), "--no-smoke")
        yield found


@pytest.fixture
def spark(hosts):
    return hosts["status-01"]


@pytest.fixture
def thor(hosts):
    return hosts["thor-s1"]


def status(commands, host, *words: str) -> dict[str, Any]:
    """The host's entry; the exit code says whether it is as it should be."""
    ran = commands.run("status", host.name, "--json", *words)
    (entry,) = json.loads(ran.stdout)["hosts"]
    assert ran.returncode == (0 if entry["ok"] else 1), ran.stderr
    return entry


def drift(commands, host) -> dict[str, dict[str, str]]:
    return {one["what"]: one for one in status(commands, host)["drift"]}


def mend(commands, host, remedy: str) -> None:
    """Do what the remedy says, word by word."""
    command = remedy.partition("   # ")[0]
    if command.startswith(f"on {host.name}: "):
        host.said(command.partition(": ")[2])
    else:
        program, *words = shlex.split(command)
        assert program == "edgeops", remedy
        commands.json(*words, *(["--no-smoke"] if words[0] == "deploy" else []))
    host.said(f"curl -sf --retry 120 --retry-delay 1 --retry-all-errors http://{host.address}:8000/health/ready")


def test_a_deployed_host_serves_proves_it_and_has_not_drifted(spark, commands) -> None:
    entry = status(commands, spark)
    assert (entry["ok"], entry["drift"], entry["platform"], entry["simulated"]) == (True, [], "dgx-spark", True)
    assert entry["release"].startswith("0.11.1-")
    assert entry["unit"]["active"] == "active"
    assert entry["unit"]["main_pid"] == int(spark.said("systemctl show trtedge -p MainPID --value"))
    assert entry["health"]["ready"] is True
    assert entry["health"]["method"] == "dspark"
    assert (entry["last_proof"]["from"], entry["last_proof"]["known_answer"]) == ("now", True)
    assert entry["lock"] is None


def test_status_changes_nothing_and_can_do_without_a_generation(spark, commands) -> None:
    pid = spark.said("systemctl show trtedge -p MainPID --value")
    before = spark.said(FILES)
    entry = status(commands, spark, "--no-proof")
    assert (entry["ok"], entry["last_proof"]["from"]) == (True, "deploy")
    after = spark.said(FILES)
    assert after == before
    assert spark.said("systemctl show trtedge -p MainPID --value") == pid


def test_a_unit_edited_by_hand_is_named_with_the_flags_that_do_not_run_yet(spark, commands) -> None:
    spark.said(
        f"sudo sed -i 's/--max-queued-requests 16/--max-queued-requests 99/' {UNIT}; sudo systemctl daemon-reload"
    )
    found = drift(commands, spark)
    assert sorted(found) == ["flags", "unit"]
    assert found["unit"]["declared"] == "--max-queued-requests 16"
    assert found["unit"]["actual"] == "--max-queued-requests 99"
    assert found["flags"]["declared"] == "--max-queued-requests 99"
    assert found["flags"]["actual"] == "--max-queued-requests 16"
    mend(commands, spark, found["unit"]["remedy"])
    assert drift(commands, spark) == {}


def test_a_process_that_runs_with_other_flags_than_its_unit_is_named(spark, commands) -> None:
    spark.said(f"sudo cp {UNIT} /tmp/unit; sudo sed -i 's/--max-queued-requests 16/--max-queued-requests 99/' {UNIT}")
    spark.said(f"sudo systemctl daemon-reload; sudo systemctl restart trtedge; sudo cp /tmp/unit {UNIT}")
    spark.said("sudo systemctl daemon-reload")
    spark.said(f"curl -sf --retry 120 --retry-delay 1 --retry-all-errors http://{spark.address}:8000/health/ready")
    found = drift(commands, spark)
    assert list(found) == ["flags"]
    mend(commands, spark, found["flags"]["remedy"])
    assert drift(commands, spark) == {}


def test_a_draft_model_that_was_swapped_for_another_of_the_same_size_is_named(spark, commands) -> None:
    spark.said("sudo dd if=/dev/urandom of=/srv/draft/weights.bin bs=1M count=2 status=none")
    found = drift(commands, spark)
    assert list(found) == ["draft model"]
    assert found["draft model"]["declared"] != found["draft model"]["actual"]
    assert "/srv/draft" in found["draft model"]["actual"]
    mend(commands, spark, found["draft model"]["remedy"])
    assert drift(commands, spark) == {}


def test_a_package_upgraded_by_hand_is_named_and_put_back(spark, commands) -> None:
    spark.ssh("cat > /tmp/wheel.py", stdin=WHEEL)
    pip = "sudo /opt/edgeops/current/venv/bin/python -m pip install --no-deps"
    spark.said(f"python3 /tmp/wheel.py && {pip} /tmp/annotated_types-99.0-py3-none-any.whl")
    found = drift(commands, spark)
    assert list(found) == ["package annotated-types"]
    assert found["package annotated-types"]["actual"] == "99.0"
    mend(commands, spark, found["package annotated-types"]["remedy"])
    assert drift(commands, spark) == {}


def test_a_drop_in_is_named_until_a_deploy_has_verified_the_service_with_it(spark, commands) -> None:
    path = f"{UNIT}.d/mine.conf"
    spark.said(
        f"sudo mkdir -p {UNIT}.d; printf '[Service]\\nNice=5\\n' | sudo tee {path}; sudo systemctl daemon-reload"
    )
    found = drift(commands, spark)
    assert (found[f"drop-in {path}"]["declared"], "Nice=5" in found[f"drop-in {path}"]["actual"]) == ("none", True)
    mend(commands, spark, found[f"drop-in {path}"]["remedy"])
    entry = status(commands, spark)
    assert (entry["drift"], entry["notes"]) == ([], [f"drop-in {path}, as verified"])
    spark.said(f"sudo rm -r {UNIT}.d; sudo systemctl daemon-reload")
    found = drift(commands, spark)
    assert found[f"drop-in {path}"]["actual"] == "gone"
    mend(commands, spark, found[f"drop-in {path}"]["remedy"])
    assert drift(commands, spark) == {}


def test_an_inventory_that_moved_on_is_named_as_settings(spark, commands) -> None:
    with commands.settings(spark.name, k=5, draft_model="/srv/draft"):
        found = drift(commands, spark)
    assert list(found) == ["settings"]
    assert '"num_speculative_tokens":5' in found["settings"]["declared"]
    assert '"num_speculative_tokens":3' in found["settings"]["actual"]


def test_a_stopped_service_is_down_and_started_by_the_remedy(spark, commands) -> None:
    spark.said("sudo systemctl stop trtedge; sudo systemctl disable -q trtedge")
    entry = status(commands, spark)
    found = {one["what"]: one for one in entry["drift"]}
    assert (entry["state"], sorted(found)) == ("down", ["service", "start at boot"])
    assert entry["unit"]["active"] == "inactive"
    mend(commands, spark, found["service"]["remedy"])
    assert drift(commands, spark) == {}


def test_another_driver_is_named_until_a_deploy_has_verified_the_service_on_it(spark, commands) -> None:
    kernel = spark.said("uname -r")
    spark.said(f"sudo sed -i 's/{kernel}/7.0.0-9999-nvidia/' /etc/lab/gpu")
    found = drift(commands, spark)
    assert (found["kernel"]["declared"], found["kernel"]["actual"]) == (kernel, "7.0.0-9999-nvidia")
    pid = spark.said("systemctl show trtedge -p MainPID --value")
    mend(commands, spark, found["kernel"]["remedy"])
    assert drift(commands, spark) == {}
    assert spark.said("systemctl show trtedge -p MainPID --value") == pid


def test_whoever_is_at_work_there_is_named_and_not_disturbed(thor, commands) -> None:
    thor.said(f"sudo python3 -c {shlex.quote(LOCK)}")
    entry = status(commands, thor)
    thor.said("sudo rm /var/lib/edgeops/lock")
    assert {key: entry["lock"][key] for key in ("owner", "host", "pid", "purpose")} == {
        "owner": "ann",
        "host": "desk",
        "pid": 7,
        "purpose": "tune",
    }
    assert entry["last_proof"]["from"] == "deploy"


def test_another_power_mode_is_named_and_put_back(thor, commands) -> None:
    thor.said("sudo nvpmodel -m 1")
    found = drift(commands, thor)
    assert list(found) == ["power mode"]
    assert (found["power mode"]["declared"], found["power mode"]["actual"]) == ("MAXN", "120W")
    mend(commands, thor, found["power mode"]["remedy"])
    assert drift(commands, thor) == {}


def test_an_engine_that_talks_nonsense_is_found_by_the_generation_and_not_by_the_health(thor, commands) -> None:
    thor.set(text="garbage")
    try:
        entry = status(commands, thor)
    finally:
        thor.set(text="")
    assert entry["health"]["ready"] is True
    assert (entry["state"], [one["what"] for one in entry["drift"]]) == ("down", ["generation"])
    assert entry["last_proof"]["last_good"] < entry["last_proof"]["at"]


def test_a_host_that_was_never_deployed_to_and_one_that_is_off_are_told_apart(lab, commands) -> None:
    host = lab.host("status-03")
    entry = status(commands, host)
    assert (entry["state"], entry["drift"][0]["actual"]) == ("never deployed", "never deployed")
    inventory = lab.workspace.root / ".edgeops/lab/inventory.yml"
    before = inventory.read_text()
    lab.drop(host.name)
    kept, now = lab.workspace.root / "off.yml", inventory.read_text()
    assert now != before
    kept.write_text(before)
    ran = commands.run("-i", str(kept), "status", host.name, "--json")
    (entry,) = json.loads(ran.stdout)["hosts"]
    assert (ran.returncode, entry["state"], entry["ok"]) == (1, "not reached", False)
    assert entry["error"]
    assert "Traceback" not in ran.stderr


def test_people_read_a_line_a_host_and_a_block_for_what_drifted(spark, thor, commands) -> None:
    spark.said(f"sudo sed -i s/OOMScoreAdjust=500/OOMScoreAdjust=-900/ {UNIT}")
    ran = commands.run("status", f"{spark.name},{thor.name}")
    assert ran.returncode == 1
    assert "SIMULATED" in ran.stdout
    assert "declared: OOMScoreAdjust=500" in ran.stdout
    assert "actual:   OOMScoreAdjust=-900" in ran.stdout
    assert "2 hosts: 1 drifted, 1 ok." in ran.stdout
    mend(commands, spark, drift(commands, spark)["unit"]["remedy"])


def test_a_watch_looks_again_until_it_is_interrupted(thor, commands) -> None:
    with commands.started("status", thor.name, "--watch", "1", "--json", "--no-proof") as running:
        assert running.process.stdout is not None
        looks = [json.loads(running.process.stdout.readline()) for _ in range(2)]
        running.process.send_signal(signal.SIGINT)
        code, told = running.finish()
    assert code == 130, told
    assert [look["hosts"][0]["state"] for look in looks] == ["ok", "ok"]
