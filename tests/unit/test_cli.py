"""The command group: help that is quick and complete, common options on either side, one answer on stdout."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from edgeops.cli.group import COMMANDS, main
from edgeops.cli.options import Common, common_options

README = Path(__file__).resolve().parents[2] / "README.md"
HEAVY = ("pyinfra", "gevent", "paramiko", "requests", "pydantic", "rich", "yaml", "jinja2", "huggingface_hub")

FLEET = "sparks: {vars: {k: 5}, hosts: {spark-01: {ansible_host: 192.0.2.1}, spark-02: }}\n"


@pytest.fixture(autouse=True)
def in_an_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EDGEOPS_INVENTORY", raising=False)


def edgeops(*words: str) -> Result:
    return CliRunner().invoke(main, list(words), prog_name="edgeops")


def command(name: str) -> click.Command:
    found = main.get_command(click.Context(main), name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_for_someone_who_has_never_seen_it(name: str) -> None:
    result = edgeops(name, "--help")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: edgeops {name} ")
    assert len(command(name).help or "") > 60


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_does(name: str) -> None:
    options = [parameter for parameter in command(name).params if isinstance(parameter, click.Option)]
    assert [option.name for option in options if not option.help] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_the_common_options(name: str) -> None:
    found = command(name)
    leaves = list(found.commands.values()) if isinstance(found, click.Group) else [found]
    for leaf in leaves:
        assert {"inventory", "json", "verbose", "yes", "parallel"} <= {parameter.name for parameter in leaf.params}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_stands_in_the_readme(name: str) -> None:
    assert f"edgeops {name}" in README.read_text(encoding="utf-8")


def test_the_help_lists_every_command() -> None:
    listed = edgeops("--help").stdout
    assert [name for name in COMMANDS if f"\n  {name} " not in listed] == []


def test_the_version_is_that_of_the_package() -> None:
    result = edgeops("--version")
    assert result.stdout.startswith("edgeops 0.")


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["nonsense"]])
def test_help_anywhere_imports_nothing_heavy(words: list[str]) -> None:
    line = [sys.executable, "-X", "importtime", "-m", "edgeops", *words]
    times = subprocess.run(line, capture_output=True, text=True, check=False, timeout=60).stderr
    imported = {
        row.rpartition("|")[2].strip().partition(".")[0] for row in times.splitlines() if row.startswith("import time:")
    }
    assert "click" in imported
    assert imported.isdisjoint(HEAVY)


@click.command(name="probe")
@click.argument("target", required=False)
@common_options
def probing(target: str | None, common: Common) -> None:
    """Say what was understood."""
    click.echo(f"{common.inventory} {common.json} {common.verbose} {common.yes} {common.parallel} {target}")


@pytest.mark.parametrize(
    ("words", "understood"),
    [
        (["probe"], "None False False False 20 None"),
        (["--json", "-v", "probe", "a"], "None True True False 20 a"),
        (["probe", "a", "--json", "-v"], "None True True False 20 a"),
        (["-i", "x.yml", "--parallel", "3", "probe", "--yes"], "x.yml False False True 3 None"),
        (["-i", "x.yml", "--parallel", "3", "probe", "-i", "y.yml"], "y.yml False False False 3 None"),
    ],
)
def test_common_options_stand_before_or_after_and_the_later_wins(
    words: list[str], understood: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(main), "get_command", lambda *_: probing)
    assert edgeops(*words).stdout.strip() == understood


@pytest.mark.parametrize(
    "words", [["nonsense"], ["hosts", "--nonsense"], ["--parallel", "0", "hosts"], ["hosts", "a", "b"]]
)
def test_a_slip_on_the_command_line_is_exit_2_without_a_traceback(words: list[str]) -> None:
    result = edgeops(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Traceback" not in result.stderr
    assert result.stderr


def test_hosts_without_an_inventory_says_what_to_do() -> None:
    result = edgeops("hosts")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Error: no inventory" in result.stderr
    assert "Remedy: edgeops init" in result.stderr


def test_hosts_answers_one_json_document_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "fleet.yml").write_text(FLEET)
    result = edgeops("hosts", "-i", "fleet.yml", "--json", "spark-01")
    answer = json.loads(result.stdout)
    (host,) = answer["hosts"]
    assert (answer["schema"], result.stderr) == ("edgeops.hosts/1", "")
    assert (host["host"], host["address"], host["groups"]) == ("spark-01", "192.0.2.1", ["all", "sparks"])
    assert host["settings"]["k"] == {"value": 5, "from": "fleet.yml:1"}
    assert host["settings"]["port"] == {"value": 8000, "from": "default"}
    assert host["connection"]["ssh_hostname"] == {"value": "192.0.2.1", "from": "fleet.yml:1"}


def test_hosts_shows_what_was_written_and_with_v_the_rest(tmp_path: Path) -> None:
    (tmp_path / "fleet.yml").write_text(FLEET)
    short, long = edgeops("hosts", "-i", "fleet.yml").stdout, edgeops("hosts", "-i", "fleet.yml", "-v").stdout
    assert "spark-01  192.0.2.1  groups: all, sparks" in short
    assert "  k             5  (fleet.yml:1)" in short
    assert "everything else has its default" in short
    assert "ready_timeout_s" not in short
    assert "ready_timeout_s" in long


def test_hosts_shows_no_secret_and_nothing_that_a_terminal_obeys(tmp_path: Path) -> None:
    secret = 'ssh_password: hunter2, db: hunter2, index_url: "https://me:hunter2@box/simple", "x\\e[31m": hunter2'
    (tmp_path / "fleet.yml").write_text(f"all: {{hosts: {{a: {{{secret}}}}}}}\n")
    for words in (["hosts"], ["hosts", "-v"], ["hosts", "--json"]):
        shown = edgeops("-i", "fleet.yml", *words).stdout
        assert "db" in shown
        assert "@box/simple" in shown
        assert "hunter2" not in shown
        assert "\x1b" not in shown


def test_init_writes_an_inventory_that_hosts_understands() -> None:
    assert edgeops("init").stdout.startswith("Wrote inventories/fleet.yml.\nNext:")
    hosts = json.loads(edgeops("hosts", "--json").stdout)["hosts"]
    assert [host["host"] for host in hosts] == ["spark-01"]


def test_init_never_overwrites() -> None:
    Path("inventories").mkdir()
    Path("inventories/fleet.yml").write_text("mine")
    result = edgeops("init", "--json")
    assert json.loads(result.stdout) == {
        "schema": "edgeops.init/1",
        "inventory": "inventories/fleet.yml",
        "written": False,
    }
    assert Path("inventories/fleet.yml").read_text() == "mine"


@pytest.mark.parametrize("obstacle", ["file in the way of the directory", "directory in the way of the file"])
def test_init_that_cannot_write_says_so(obstacle: str) -> None:
    if obstacle.startswith("file"):
        Path("inventories").write_text("a file")
    else:
        Path("inventories/fleet.yml").mkdir(parents=True)
    result = edgeops("init")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Error: inventories/fleet.yml cannot be written" in result.stderr


def test_every_line_of_the_example_that_is_commented_out_is_valid_too(tmp_path: Path) -> None:
    edgeops("init")
    text = Path("inventories/fleet.yml").read_text()
    head, _, body = text.partition("all:\n")
    opened = "\n".join(uncommented(line) for line in body.splitlines())
    (tmp_path / "all.yml").write_text(f"{head}all:\n{opened}\n")
    hosts = {host["host"]: host for host in json.loads(edgeops("hosts", "-i", "all.yml", "--json").stdout)["hosts"]}
    assert len(hosts) == 21
    assert hosts["spark-01"]["settings"]["bind"]["value"] == "0.0.0.0"
    assert hosts["orin-01"]["settings"]["max_input_len"]["value"] == 2048


def uncommented(line: str) -> str:
    stripped = line.lstrip()
    return line[: len(line) - len(stripped)] + stripped.removeprefix("# ") if stripped.startswith("# ") else line
