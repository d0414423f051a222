"""How to reach a host: Ansible's and pyinfra's variables brought to one set of names, and to pyinfra's types.

pyinfra's names and meanings: https://docs.pyinfra.com/en/3.x/connectors/ssh.html; Ansible's:
https://docs.ansible.com/ansible/latest/inventory_guide/intro_inventory.html ("Connecting to hosts").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from edgeops.inventory.names import is_name
from edgeops.inventory.written import Value

_FROM_ANSIBLE = {
    "ansible_host": "ssh_hostname",
    "ansible_ssh_host": "ssh_hostname",
    "ansible_port": "ssh_port",
    "ansible_ssh_port": "ssh_port",
    "ansible_user": "ssh_user",
    "ansible_ssh_user": "ssh_user",
    "ansible_password": "ssh_password",
    "ansible_ssh_pass": "ssh_password",
    "ansible_ssh_password": "ssh_password",
    "ansible_private_key_file": "ssh_key",
    "ansible_ssh_private_key_file": "ssh_key",
}
SECRET = frozenset({"ssh_password", "ssh_key_password"})


def canonical(key: str) -> str:
    """pyinfra's name for a connection variable; any other key as it is."""
    return _FROM_ANSIBLE.get(key, key)


def is_connection(name: str) -> bool:
    """Whether ``name``, already canonical, says how to connect."""
    return name in _CONVERSIONS


def known_names() -> tuple[str, ...]:
    """Every spelling that is understood."""
    return (*_CONVERSIONS, *_FROM_ANSIBLE)


def convert(name: str, value: Value, base: Path) -> object:
    """``value`` in pyinfra's type; files are relative to ``base``. Raises ValueError saying what is wanted."""
    if value.unreadable:
        raise ValueError(value.unreadable)
    if isinstance(value.raw, Mapping | list | tuple | set):
        raise ValueError("one value is wanted")
    return _CONVERSIONS[name](str(value.raw), base)


def located(text: str, base: Path) -> Path:
    """A file named in an inventory: ``~`` is the reader's home, a relative path starts beside the inventory."""
    if not text or "\0" in text:
        raise ValueError("a file is wanted")
    try:
        path = Path(text).expanduser()
    except RuntimeError:
        raise ValueError(f"nobody's home directory is called {Path(text).parts[0]}") from None
    return path if path.is_absolute() else (base / path).absolute()


def _address(text: str, _: Path) -> str:
    bare = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    if not is_name(bare):
        raise ValueError("a host name or an IP address is wanted")
    return bare


def _user(text: str, _: Path) -> str:
    if not text or text.startswith("-") or not text.isprintable() or " " in text:
        raise ValueError("a login name is wanted")
    return text


def _text(text: str, _: Path) -> str:
    return text


def _file(text: str, base: Path) -> str:
    return str(located(text, base))


def _port(text: str, _: Path) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= 65535):
        raise ValueError("a port from 1 to 65535 is wanted")
    return int(text)


def _count(text: str, _: Path) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 4):
        raise ValueError("a whole number is wanted")
    return int(text)


def _seconds(text: str, _: Path) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 3600:
        raise ValueError("seconds from 0 to 3600 are wanted")
    return seconds


def _flag(text: str, _: Path) -> bool:
    lower = text.lower()
    if lower in ("yes", "true", "on", "1"):
        return True
    if lower in ("no", "false", "off", "0"):
        return False
    raise ValueError("yes or no is wanted")


def _strictness(text: str, _: Path) -> str:
    """OpenSSH's words, and what YAML and Python make of them."""
    word = {"true": "yes", "on": "yes", "false": "no", "off": "no"}.get(text.lower(), text.lower())
    if word not in ("yes", "accept-new", "no", "ask"):
        raise ValueError("yes, accept-new, ask or no is wanted")
    return word


def _transfer(text: str, _: Path) -> str:
    if text not in ("sftp", "scp"):
        raise ValueError("sftp or scp is wanted")
    return text


_CONVERSIONS: dict[str, Callable[[str, Path], object]] = {
    "ssh_hostname": _address,
    "ssh_port": _port,
    "ssh_user": _user,
    "ssh_password": _text,
    "ssh_key": _file,
    "ssh_key_password": _text,
    "ssh_allow_agent": _flag,
    "ssh_look_for_keys": _flag,
    "ssh_forward_agent": _flag,
    "ssh_config_file": _file,
    "ssh_known_hosts_file": _file,
    "ssh_strict_host_key_checking": _strictness,
    "ssh_connect_retries": _count,
    "ssh_connect_retry_min_delay": _seconds,
    "ssh_connect_retry_max_delay": _seconds,
    "ssh_file_transfer_protocol": _transfer,
}
