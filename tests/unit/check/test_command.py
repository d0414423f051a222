"""``edgeops check`` as a person or a script calls it, on saved snapshots: no host is asked."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from edgeops.cli import main
from edgeops.cli.options import access_options
from edgeops.engine import Access
from tests.data.build import DIRECTORY


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["check", *map(str, arguments)])


def snapshots(*names: str) -> list[str]:
    return [word for name in names for word in ("--snapshot", str(DIRECTORY / f"{name}.json"))]


def test_a_good_host_is_0_and_named_ready() -> None:
    done = run(*snapshots("spark-fe"))
    assert done.exit_code == 0
    assert "1 ready, 0 not ready. Nothing was changed." in done.stdout


def test_a_fault_is_3_with_cause_and_remedy() -> None:
    done = run(*snapshots("spark-fe", "spark-no-cudart"))
    assert done.exit_code == 3
    assert "spark-no-cudart: cuda.runtime: no libcudart in the loader's cache;" in done.stdout
    assert "Remedy: sudo apt-get install -y cuda-cudart-13-0 && sudo ldconfig" in done.stdout


def test_json_is_one_document_and_nothing_else() -> None:
    done = run(*snapshots("spark-fe", "spark-tensorrt-11"), "--json")
    document = json.loads(done.stdout)
    assert document["schema"] == "edgeops.check/1"
    assert [host["ok"] for host in document["hosts"]] == [True, False]
    assert done.exit_code == 3


def test_a_directory_of_snapshots_is_judged_whole() -> None:
    done = run("--snapshot", DIRECTORY, "--json")
    assert len(json.loads(done.stdout)["hosts"]) == len(list(DIRECTORY.glob("*.json")))


def test_a_simulated_host_says_so(tmp_path: Path) -> None:
    value = json.loads((DIRECTORY / "spark-fe.json").read_text(encoding="utf-8")) | {"simulated": True}
    (tmp_path / "lab.json").write_text(json.dumps(value), encoding="utf-8")
    assert "SIMULATED" in run("--snapshot", tmp_path).stdout
    assert "SIMULATED" not in run(*snapshots("spark-fe")).stdout


def test_settings_of_the_inventory_that_is_named_count(tmp_path: Path) -> None:
    inventory = tmp_path / "fleet.yml"
    inventory.write_text("all:\n  hosts:\n    spark-fe:\n      ansible_host: 127.0.0.1\n      k: 9\n", encoding="utf-8")
    done = run(*snapshots("spark-fe"), "-i", inventory)
    assert done.exit_code == 3
    assert "settings.speculation" in done.stdout


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"schema": "edgeops.snapshot/1", "host": "x"}', "\x00"])
def test_a_file_that_is_no_snapshot_is_2_and_a_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content, encoding="utf-8")
    done = run("--snapshot", path)
    assert done.exit_code == 2
    assert "Error: " in done.stderr
    assert "x.json" in done.stderr
    assert done.stdout == ""


def test_a_snapshot_and_a_target_contradict_one_another() -> None:
    done = run("spark-01", *snapshots("spark-fe"))
    assert done.exit_code == 2
    assert "--snapshot asks no host" in done.stderr


def test_what_a_hostile_host_says_cannot_steer_the_terminal(tmp_path: Path) -> None:
    value = json.loads((DIRECTORY / "spark-busy-port.json").read_text(encoding="utf-8"))
    value["host"] = "spark\x1b[2J"
    value["probes"]["product_name"]["out"] = "GX10\x1b]0;owned\x07\x9b31m\n"
    value["probes"]["tensorrt_python"] = {"rc": 1, "out": "", "err": "ImportError: \x1b[31mred\u202e\n"}
    (tmp_path / "x.json").write_text(json.dumps(value), encoding="utf-8")
    told = run("--snapshot", tmp_path).stdout
    assert "ImportError" in told
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(told)


def test_every_fixture_is_told_without_a_traceback() -> None:
    done = run("--snapshot", DIRECTORY)
    assert done.exit_code == 3
    assert "Traceback" not in done.output
    assert "NOT GREEN" in done.stdout


def test_without_a_terminal_the_sudo_password_is_the_first_line_of_standard_input() -> None:
    @click.command()
    @access_options
    def shown(access: Access) -> None:
        click.echo(f"{access.password}/{access.accept_new}")

    assert CliRunner().invoke(shown, ["--ask-sudo"], input="se cret\nmore\n").stdout == "se cret/False\n"
    assert CliRunner().invoke(shown, ["--accept-new-host-keys"]).stdout == "None/True\n"
    assert CliRunner().invoke(shown, ["--ask-sudo"], input="").exit_code == 2
