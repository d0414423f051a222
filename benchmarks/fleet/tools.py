"""The three tools as command lines, and what each says about how it went."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Given:
    """What every tool works with: the lab's inventory, and a directory for what is derived from it."""

    inventory: Path
    directory: Path
    ansible: Path
    """The folder with ``ansible-playbook``."""
    release_name: str
    requirement: str

    def write_down(self, unit: str, environment: str, constraints: str) -> None:
        """The files that Ansible and pyinfra put on hosts; ``unit`` with ``{{ bind }}`` where the address goes."""
        self.directory.mkdir(parents=True, exist_ok=True)
        for name, text in (
            ("trtedge.service.j2", unit),
            ("trtedge.env.j2", environment),
            ("constraints.txt", constraints),
        ):
            (self.directory / name).write_text(text, encoding="utf-8")


def hosts(given: Given) -> dict[str, dict[str, object]]:
    """Name and variables of the inventory's hosts."""
    document = yaml.safe_load(given.inventory.read_text(encoding="utf-8"))
    return dict(document["all"]["children"]["lab"]["hosts"])


def edgeops(given: Given, names: list[str]) -> list[str]:
    """The product, without its measurement: the other tools do not measure."""
    return [
        *(sys.executable, "-m", "edgeops", "-i", str(given.inventory), "--json", "deploy", ",".join(names)),
        "--no-smoke",
    ]


def ansible(given: Given, names: list[str]) -> list[str]:
    """As many forks as hosts."""
    path = given.directory / "ansible.yml"
    known = {name: _for_ansible(values) for name, values in hosts(given).items()}
    shared = {**_variables(given), "ansible_user": "nvidia"}
    path.write_text(yaml.safe_dump({"all": {"hosts": known, "vars": shared}}), encoding="utf-8")
    words = ["ansible-playbook", "-i", str(path), "--limit", ",".join(names), "--forks", str(len(names))]
    return [str(given.ansible / words[0]), *words[1:], str(HERE / "ansible" / "playbook.yml")]


def pyinfra(given: Given, names: list[str]) -> list[str]:
    """Its own command line with a deploy file of its own operations."""
    path = given.directory / "pyinfra_inventory.py"
    known = [(name, _for_pyinfra(values, given)) for name, values in hosts(given).items() if name in names]
    path.write_text(f"lab = {known!r}\n", encoding="utf-8")
    return [
        *(sys.executable, "-m", "pyinfra", "-y", "--parallel", str(len(names)), str(path)),
        str(HERE / "pyinfra" / "deploy.py"),
    ]


TOOLS = {"edgeops": edgeops, "ansible": ansible, "pyinfra": pyinfra}


def environment(given: Given) -> dict[str, str]:
    """Of all three; the sockets of ssh's masters need a short path."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("EDGEOPS_", "ANSIBLE_"))}
    return kept | {
        "ANSIBLE_CONFIG": str(HERE / "ansible" / "ansible.cfg"),
        "ANSIBLE_HOME": str(given.directory / "a"),
        "ANSIBLE_SSH_CONTROL_PATH_DIR": str(given.directory / "c"),
        "ANSIBLE_NOCOLOR": "1",
        "LC_ALL": "C.UTF-8",
    }


def says_unchanged(tool: str, output: str, count: int) -> bool:
    """Whether the tool itself says that it changed nothing on each of ``count`` hosts."""
    if tool == "edgeops":
        return output.count('"outcome": "unchanged"') == count
    if tool == "ansible":
        return len(re.findall(r"changed=0 +unreachable=0 +failed=0", output)) == count
    summary = re.search(r"Grand total.*", output)
    return summary is not None and _pyinfra_changed(summary[0]) == 0


def _pyinfra_changed(line: str) -> int:
    numbers = re.findall(r"\d+|-", line)
    return int(numbers[1]) if len(numbers) > 1 and numbers[1] != "-" else 0


def _variables(given: Given) -> dict[str, str]:
    return {
        "release_name": given.release_name,
        "requirement": given.requirement,
        "constraints": str(given.directory / "constraints.txt"),
        "files": str(given.directory),
    }


def _for_ansible(values: dict[str, object]) -> dict[str, object]:
    kept = {key: value for key, value in values.items() if key.startswith("ansible_") or key == "bind"}
    known = values["ssh_known_hosts_file"]
    return kept | {"ansible_ssh_common_args": f"-o UserKnownHostsFile={known} -o GlobalKnownHostsFile=/dev/null"}


def _for_pyinfra(values: dict[str, object], given: Given) -> dict[str, object]:
    return {
        "ssh_hostname": values["ansible_host"],
        "ssh_port": values["ansible_port"],
        "ssh_user": values["ansible_user"],
        "ssh_key": values["ansible_ssh_private_key_file"],
        "ssh_known_hosts_file": values["ssh_known_hosts_file"],
        "ssh_strict_host_key_checking": "yes",
        "bind": values["bind"],
        **_variables(given),
    }
