"""``edgeops check`` on simulated hosts: several faults at once, one command a host, and nothing changed anywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from edgeops.cli import main
from edgeops.engine.session import Session

pytestmark = pytest.mark.lab

FAULTS = {
    "check-trt11": ("tensorrt-11", {"tensorrt.version", "gpu.payload"}),
    "check-cudart": ("no-cudart", {"cuda.runtime"}),
    "check-sudo": ("sudo-password", {"host.sudo"}),
    "check-disk": ("full-disk", {"host.disk"}),
}
LIVING = ("var/log", "run", "tmp", "var/lib/systemd", "home/nvidia/.sudo_as_admin_successful")
"""Where a running machine writes of its own accord; the last one is sudo's, at the first use by each user."""


@pytest.fixture(scope="module")
def broken(lab: Any) -> Any:
    hosts = {name: lab.host(name, fault) for name, (fault, _) in FAULTS.items()}
    yield hosts
    for name in hosts:
        lab.drop(name)


def check(lab: Any, *arguments: str, password: str | None = None) -> Result:
    inventory = str(lab.workspace.inventory)
    return CliRunner().invoke(main, ["check", "-i", inventory, *arguments], input=f"{password}\n" if password else None)


def files(root: Path) -> dict[str, tuple[int, int]]:
    """Size and time of every file that nobody but an operator changes."""
    found = {}
    for directory in ("etc", "opt", "usr", "var", "home", "root"):
        for path in (root / directory).rglob("*"):
            name = str(path.relative_to(root))
            if not name.startswith(LIVING) and path.is_file() and not path.is_symlink():
                found[name] = (path.stat().st_size, path.stat().st_mtime_ns)
    return found


def test_different_faults_of_many_hosts_are_told_at_once_and_nothing_is_changed(lab: Any, broken: Any) -> None:
    before = {name: files(host.root) for name, host in broken.items()}
    done = check(lab, ",".join(FAULTS), "--json")
    hosts = {host["host"]: host for host in json.loads(done.stdout)["hosts"]}
    assert done.exit_code == 3
    for name, (_, wanted) in FAULTS.items():
        assert hosts[name]["simulated"] is True
        assert {r["id"] for r in hosts[name]["results"] if r["status"] == "fail"} == wanted
    for name, host in broken.items():
        assert dict(files(host.root).items() - before[name].items()) == {}
        assert before[name].keys() == files(host.root).keys()


def test_a_check_takes_one_command_a_host(lab: Any, broken: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[str] = []
    run = Session.run

    def counted(self: Session, command: str, **options: Any) -> Any:
        commands.append(command)
        return run(self, command, **options)

    monkeypatch.setattr(Session, "run", counted)
    check(lab, "check-cudart")
    assert len(commands) == 1
    check(lab, "check-sudo", "--ask-sudo", password="lab")
    assert len(commands) == 3


def test_the_right_password_makes_sudo_pass_and_a_wrong_one_is_told(lab: Any, broken: Any) -> None:
    assert check(lab, "check-sudo", "--ask-sudo", password="lab").exit_code == 0
    wrong = check(lab, "check-sudo", "--ask-sudo", password="guess")
    assert wrong.exit_code == 3
    assert "refused the password" in wrong.stdout
    assert "guess" not in wrong.output


def test_kept_answers_are_judged_again_without_the_host(lab: Any, broken: Any, tmp_path: Path) -> None:
    first = check(lab, "check-cudart", "--save", str(tmp_path), "--json")
    again = check(lab, "--snapshot", str(tmp_path), "--json")
    assert json.loads(again.stdout) == json.loads(first.stdout)


def test_who_holds_the_package_lock_is_named(lab: Any, broken: Any) -> None:
    lock = "f = open('/var/lib/dpkg/lock', 'w'); fcntl.lockf(f, fcntl.LOCK_EX)"
    hold = f"import fcntl, time; {lock}; print('held', flush=True)"
    unit = f'sudo systemd-run -q --unit=holder --property=Type=exec python3 -c "{hold}; time.sleep(600)"'
    broken["check-cudart"].said(f"{unit} && until journalctl -u holder 2>/dev/null | grep -q held; do sleep 0.1; done")
    try:
        done = check(lab, "check-cudart")
        assert "dpkg is locked by process" in done.stdout
        assert "python3" in done.stdout
    finally:
        broken["check-cudart"].said("sudo systemctl stop holder")
