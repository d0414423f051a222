"""Variables that are not edgeops': ignored, unless they look like a slip of ours or may not be ignored."""

from __future__ import annotations

from collections.abc import Callable

from edgeops.inventory.connection import known_names
from edgeops.inventory.problems import nearest
from edgeops.inventory.written import Value
from edgeops.settings import Settings

_SETTINGS = tuple(Settings.model_fields)
_SHORT = tuple(name for name in _SETTINGS if len(name) <= 6)
_LONG = tuple(name for name in _SETTINGS if len(name) > 6)
_ORDINARY = frozenset({"mode", "ports", "pip_index_url"})
"""Close to a setting, and common in other tools' inventories."""
_VENDOR_WORDS = {"served_model_name": "served_name", "num_speculative_tokens": "k"}
"""Flags and fields of the vendor's server (``trtedge serve --help``) that are called otherwise here."""


def complaint(value: Value) -> str:
    """What is wrong with a variable that is neither a setting nor about connecting; empty when it may be ignored."""
    refusal = _REFUSED.get(value.key)
    if refusal is not None:
        return refusal(value)
    spelled = value.key.lower().replace("-", "_")
    if hint := _slip(spelled):
        return f"unknown setting {value.key!r}.{hint}"
    if spelled.startswith(("ssh_", "ansible_")) and (hint := nearest(spelled, known_names(), 0.9)):
        return f"unknown connection variable {value.key!r}.{hint}"
    return ""


def _slip(key: str) -> str:
    """The hint for a key that was meant as a setting. Short names are judged strictly: much looks like ``port``."""
    if key in _ORDINARY:
        return ""
    if key in _VENDOR_WORDS:
        return f" Did you mean {_VENDOR_WORDS[key]!r}?"
    swapped = [name for name in _SETTINGS if len(name) > 2 and sorted(name) == sorted(key)]
    return nearest(key, swapped, 0.0) or nearest(key, _LONG, 0.8) or nearest(key, _SHORT, 0.85)


def _only(allowed: tuple[str, ...], why: str) -> Callable[[Value], str]:
    """A variable that may be ignored as long as it says one of ``allowed``."""

    def refusal(value: Value) -> str:
        text = "" if value.raw is None else str(value.raw).lower()
        return (
            ""
            if not value.unreadable and text in allowed
            else f"{value.key} cannot be ignored and is not understood: {why}"
        )

    return refusal


_OPENSSH = "write it into ~/.ssh/config (ProxyJump, ProxyCommand, Port and the like are read there)"
_SUDO = "a password for sudo is asked for once, by --ask-sudo, and never stored"
_PLAIN_SSH = "edgeops connects by SSH alone"
_SUDO_ONLY = "edgeops becomes root through sudo alone"
_SHELL = "edgeops needs a POSIX shell on the host"

_REFUSED: dict[str, Callable[[Value], str]] = {
    **dict.fromkeys(("ansible_ssh_common_args", "ansible_ssh_extra_args", "ansible_ssh_args"), _only(("",), _OPENSSH)),
    **dict.fromkeys(("ansible_become_password", "ansible_become_pass", "ansible_sudo_pass"), _only(("",), _SUDO)),
    "_sudo_password": _only(("", "none"), _SUDO),
    "ansible_connection": _only(("ssh", "smart", "paramiko", "paramiko_ssh"), _PLAIN_SSH),
    "ansible_become_method": _only(("sudo",), _SUDO_ONLY),
    "ansible_become_user": _only(("root",), _SUDO_ONLY),
    "ansible_become_exe": _only(("sudo", "/usr/bin/sudo"), _SUDO_ONLY),
    "ansible_shell_type": _only(("sh",), _SHELL),
    "ssh_paramiko_connect_kwargs": _only(("{}", "none"), "edgeops sets paramiko's connection itself"),
}
"""Ansible's and pyinfra's variables that change what happens on a host; others are ignored and listed."""
