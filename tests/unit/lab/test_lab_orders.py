"""What may be asked of the lab, and how it says no."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from edgeops.cli.group import main
from edgeops.errors import ConfigurationError, EdgeopsError
from edgeops.lab import programs
from edgeops.lab.dial import changed
from edgeops.lab.door import _error
from edgeops.lab.faults import FAULTS
from edgeops.lab.kinds import KINDS, kind_for
from edgeops.lab.orders import HostOrder, host_orders
from edgeops.lab.root_part import Request


def test_hosts_are_read_with_and_without_a_kind():
    assert host_orders(["spark-01,thor-01", "box=jetson-orin"]) == (
        HostOrder("spark-01"),
        HostOrder("thor-01"),
        HostOrder("box", "jetson-orin"),
    )


def test_faults_go_to_each_host_of_the_call():
    assert {order.faults for order in host_orders(["a,b"], ["no-cudart,low-memory"])} == {("no-cudart", "low-memory")}


@pytest.mark.parametrize(
    ("name", "kind"),
    [("spark-01", "dgx-spark"), ("thor-01", "jetson-thor"), ("orin-x", "jetson-orin"), ("thorough", "dgx-spark")],
)
def test_a_name_suggests_a_kind(name, kind):
    assert kind_for(name) is KINDS[kind]


@pytest.mark.parametrize(
    ("words", "faults", "message"),
    [
        (["Spark"], [], "cannot be a simulated host's name"),
        (["../x"], [], "cannot be a simulated host's name"),
        (["all"], [], "cannot be a simulated host's name"),
        (["a" * 33], [], "cannot be a simulated host's name"),
        (["a=pi"], [], "no kind of simulated host is called 'pi'. Known: dgx-spark"),
        (["a,a"], [], "named twice: a"),
        ([","], [], "no host is named"),
        (["a"], ["fire"], "no fault is called 'fire'. Known: tensorrt-11"),
    ],
)
def test_what_cannot_be_is_refused_with_the_known_ones(words, faults, message):
    with pytest.raises(ConfigurationError) as caught:
        host_orders(words, faults)
    assert message in caught.value.message


def test_a_request_reaches_the_root_part_unchanged():
    request = Request(
        "up", "/state", (HostOrder("a", "dgx-spark", ("no-cudart",)),), ("b",), True, "key", {"k": "v"}, {"E": "1"}
    )
    assert Request.from_json(request.to_json()) == request


def test_an_error_of_the_root_part_keeps_its_meaning():
    said = {"message": "no", "remedy": "do", "exit_code": 2}
    error = _error(json.dumps(said))
    assert (type(error), error.message, error.remedy) == (ConfigurationError, "no", "do")
    assert type(_error(json.dumps({**said, "exit_code": 1}))) is EdgeopsError
    assert "did not finish" in _error("Traceback").message


def test_missing_programs_are_named_with_the_line_that_installs_them(monkeypatch, tmp_path):
    absent = ("mmdebstrap", "gcc")
    monkeypatch.setattr(programs, "_KEYRING", tmp_path)
    monkeypatch.setattr(programs, "_C_HEADER", tmp_path / "stdio.h")
    monkeypatch.setattr(programs.shutil, "which", lambda name, path: None if name in absent else "/bin/x")
    with pytest.raises(EdgeopsError) as caught:
        programs.demand_programs()
    assert "mmdebstrap, gcc, the keys of Debian, the C library's headers" in caught.value.message
    assert caught.value.remedy == "sudo apt-get install -y mmdebstrap gcc debian-archive-keyring libc6-dev"


def test_a_program_that_fails_tells_what_it_said():
    with pytest.raises(EdgeopsError, match=r"(?s)ended with 3.*broken"):
        programs.run("sh", "-c", "echo broken >&2; exit 3")


def test_a_knob_is_set_changed_and_reset():
    values = changed({}, {"ttft_ms": "50", "fail": "load"})
    assert values == {"ttft_ms": 50, "fail": "load"}
    assert changed(values, {"ttft_ms": ""}) == {"fail": "load"}


def test_resetting_a_knob_that_does_not_exist_is_an_error_too():
    with pytest.raises(ConfigurationError, match="no knob is called"):
        changed({}, {"tttf_ms": ""})


@pytest.mark.parametrize(
    "words", [["set", "a", "fail"], ["set", "a", "fail=maybe"], ["up", "--hosts", "A"], ["set", "a/b"]]
)
def test_a_wrong_call_ends_with_two_and_a_sentence(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["lab", *words])
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith(("Error: ", "Usage: "))


def test_status_of_an_empty_place_is_an_empty_document(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["lab", "status", "--json"])
    inventory = str(tmp_path / ".edgeops/lab/inventory.yml")
    assert json.loads(result.stdout) == {"schema": "edgeops.lab/1", "inventory": inventory, "hosts": []}


def test_help_explains_every_fault():
    text = CliRunner().invoke(main, ["lab", "up", "--help"]).output
    assert all(f"{name} " in text and fault.summary in text for name, fault in FAULTS.items())
