"""``deploy --distribute``: wheels and models of the control machine, on hosts that reach neither index nor hub."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from edgeops.lab.places import HostPlaces
from edgeops.lab.records import read_record
from edgeops.lab.system import MODEL
from tests.lab.fake_hub import FakeHub

pytestmark = pytest.mark.lab

WHEELS = "/var/lib/edgeops/wheels"
MODELS = "/var/lib/trtedge/models"
TOKEN = "hf_of_the_operator"
SIZE = 20_000_000
BIG = 150_000_000


@pytest.fixture(scope="module")
def wheels(lab) -> str:
    """Where this machine has what the hosts' pip finds in /opt/lab/wheels."""
    host = lab.host("dist-01")
    record = read_record(HostPlaces(host.workspace.state, host.name).record)
    assert record is not None
    return record.wheels


@pytest.fixture(scope="module")
def spark(lab, commands, wheels):
    """A host whose pip knows neither an index nor a directory, deployed from here."""
    host = cut_off(lab.host("dist-01"))
    with commands.settings(host.name, find_links=wheels):
        said = deploy(commands, host.name)
    assert sent(said, "wheels")[0] == sent(said, "wheels")[1] > 10e6
    return host


@pytest.fixture(scope="module")
def other(lab):
    """Another such host, not yet deployed."""
    return cut_off(lab.host("dist-02"))


def cut_off(host):
    host.said("sudo sed -i /find-links/d /etc/pip.conf")
    return host


def deploy(commands, *words: str) -> str:
    ran = commands.run("deploy", *words, "--distribute", "--no-smoke")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


def sent(said: str, what: str) -> tuple[float, float]:
    """Bytes that were sent, and that there were."""
    found = re.search(rf"sent ([\d.]+) (\w+) of ([\d.]+) (\w+) (?:of|to) \S*{what}", said)
    assert found, said
    units = {"bytes": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}
    return float(found[1]) * units[found[2]], float(found[3]) * units[found[4]]


def release(host) -> str:
    return host.said("readlink /opt/edgeops/current")


def forget_install(host) -> None:
    host.said(f"sudo rm {release(host)}/release.json")


def test_a_host_without_any_index_is_deployed_from_the_control_machine(spark) -> None:
    assert spark.said("systemctl is-active trtedge") == "active"
    assert spark.said(f"stat -c '%U %a' {WHEELS}/*/") == "root 755"
    assert spark.said(f"ls {WHEELS}").split() == [Path(release(spark)).name]


def test_without_distribution_that_host_cannot_be_deployed(lab, commands) -> None:
    host = cut_off(lab.host("dist-03"))
    ran = commands.run("deploy", host.name, "--no-smoke")
    lab.drop(host.name)
    assert ran.returncode == 1
    assert "No matching distribution" in ran.stdout + ran.stderr


def test_what_a_host_has_is_not_sent_again_and_a_second_host_gets_the_same_download(
    spark, other, commands, wheels
) -> None:
    forget_install(spark)
    downloads = {path: path.stat().st_mtime for path in (commands.directory / ".edgeops/wheels").iterdir()}
    with commands.settings(spark.name, find_links=wheels), commands.settings(other.name, find_links=wheels):
        again = deploy(commands, spark.name)
        new = deploy(commands, other.name)
    assert sent(again, "wheels")[0] == 0
    assert sent(new, "wheels")[0] == sent(new, "wheels")[1]
    assert {path: path.stat().st_mtime for path in (commands.directory / ".edgeops/wheels").iterdir()} == downloads


def test_a_corrupted_wheel_is_noticed_and_it_alone_is_sent(spark, commands, wheels) -> None:
    forget_install(spark)
    wheel = spark.said(f"ls {WHEELS}/*/pydantic-*.whl")
    spark.said(
        f"sudo cp -p {wheel} /tmp/keep && echo broken | sudo dd of={wheel} bs=1 seek=1000 conv=notrunc status=none"
        f" && sudo touch -r /tmp/keep {wheel}"
    )
    with commands.settings(spark.name, find_links=wheels):
        said = deploy(commands, spark.name)
    assert 0 < sent(said, "wheels")[0] < 100_000


@pytest.fixture
def model() -> Path:
    """A checkpoint that only the control machine has; the service could not see it below /tmp."""
    directory = Path(f"/srv/edgeops-test-{os.getpid()}")
    directory.mkdir()
    (directory / "weights.bin").write_bytes(secrets.token_bytes(SIZE))
    yield directory
    shutil.rmtree(directory)


def test_a_model_directory_goes_on_where_a_transfer_was_cut_off(lab, spark, commands, wheels, model) -> None:
    (model / "config.json").write_text((spark.root / MODEL.lstrip("/") / "config.json").read_text())
    incoming = spark.root / f"{str(model).lstrip('/')}.incoming"
    incoming.mkdir(parents=True)
    (incoming / "weights.bin").write_bytes((model / "weights.bin").read_bytes()[: SIZE * 3 // 4])
    with commands.settings(spark.name, find_links=wheels, model=str(model)):
        planned = commands.run("deploy", spark.name, "--distribute", "--dry-run")
        said = deploy(commands, spark.name)
        again = deploy(commands, spark.name)
        (model / "weights.bin").write_bytes(secrets.token_bytes(SIZE))
        spark.said(f"sudo mv {model}/config.json {model}/config.json.lost")
        changed = commands.run("deploy", spark.name, "--distribute", "--no-smoke")
    assert f"send {model} from this machine" in planned.stdout
    assert sent(said, model.name)[0] < SIZE / 2
    assert spark.said(f"stat -c '%U %a' {model}/weights.bin") == "root 644"
    assert "unchanged" in again
    assert changed.returncode == 1
    assert "is not what it is on this machine: config.json" in changed.stdout + changed.stderr
    assert spark.said("systemctl is-active trtedge") == "active"


@pytest.fixture
def hub(commands, tmp_path) -> Iterator[FakeHub]:
    """A hub that only commands here are told of: a host would have to ask the real one, which it does not reach."""
    with FakeHub("127.0.0.1").serving() as hub, commands.environment(HF_ENDPOINT=hub.url, HF_HOME=str(tmp_path)):
        yield hub


@contextmanager
def serving(commands, hosts, **settings: str) -> Iterator[None]:
    """The hosts' settings, for the length of the body."""
    with ExitStack() as all_of_them:
        for host in hosts:
            all_of_them.enter_context(commands.settings(host.name, method="off", **settings))
        yield


def config_of(host) -> str:
    return (host.root / MODEL.lstrip("/") / "config.json").read_text()


def test_a_model_by_its_id_is_fetched_once_for_all_hosts_and_none_of_them_asks(
    spark, other, commands, wheels, hub, tmp_path
) -> None:
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    commit = hub.publish("acme/Tiny", config_json=config_of(spark), weights_bin="w" * 5000)
    both, place = f"{spark.name},{other.name}", f"{MODELS}/acme--Tiny/{commit}"
    tiny = {"find_links": wheels, "model": "acme/Tiny", "hf_token_file": str(tmp_path / "token")}
    with serving(commands, (spark, other), **tiny):
        planned = commands.run("deploy", spark.name, "--distribute", "--dry-run")
        assert hub.asked == []
        said = deploy(commands, both)
        asked = hub.asked.count("/api/models/acme/Tiny"), sorted(hub.sent), TOKEN in hub.tokens
        hub.publish("acme/Tiny", config_json=config_of(spark), weights_bin="of another commit")
        hub.asked.clear()
        again = deploy(commands, both)
        alone = commands.json("deploy", both, "--no-smoke")
    assert "send acme/Tiny at its newest revision from this machine" in planned.stdout
    assert "downloading acme/Tiny here once" in said
    assert asked == (1, ["acme/Tiny/config.json", "acme/Tiny/weights.bin"], True)
    assert "sent " not in again
    assert [host["outcome"] for host in alone["hosts"]] == ["unchanged", "unchanged"]
    assert hub.asked == []
    for host in (spark, other):
        assert host.said(f"sudo stat -c '%U %a' {place} {place}/weights.bin") == "trtedge 755\ntrtedge 644"
        assert json.loads(host.said(f"sudo cat {place}/.edgeops.json")) == {"source": "acme/Tiny", "revision": commit}
        assert host.said(f"sudo grep -rl {TOKEN} /etc /var/lib /opt/edgeops/current/ || true") == ""
    assert TOKEN not in said


def test_a_transfer_that_was_killed_goes_on_where_it_was(spark, commands, wheels, hub) -> None:
    commit = hub.publish("acme/Big", config_json=config_of(spark), weights_bin=secrets.token_bytes(BIG))
    incoming = spark.root / f"var/lib/edgeops/acme--Big--{commit}.incoming"
    with serving(commands, (spark,), find_links=wheels, model="acme/Big", model_revision=commit):
        with commands.started("deploy", spark.name, "--distribute", "--no-smoke") as running:
            wait_until(lambda: arrived(incoming) > 1_000_000)
            running.process.kill()
        # rsync has ended with it, and kept what arrived.
        wait_until((incoming / "weights.bin").exists)
        kept = arrived(incoming)
        planned = commands.run("deploy", spark.name, "--distribute", "--dry-run")
        # The killed run's lock would expire by itself after a while.
        said = deploy(commands, spark.name, "--steal-lock", "--yes")
    assert 1_000_000 < kept < BIG
    assert f"send acme/Big at revision {commit[:12]} from this machine" in planned.stdout
    assert "downloading" not in said
    assert sent(said, commit)[0] < BIG - kept / 2
    assert spark.said("sudo find /var/lib /srv -name '*.incoming'") == ""
    assert spark.said("systemctl is-active trtedge") == "active"


def arrived(directory: Path) -> int:
    """Bytes of all files there, rsync's own name for an unfinished one included."""
    try:
        return sum(path.stat().st_size for path in directory.iterdir())
    except OSError:
        return 0


def wait_until(is_so: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.005)
