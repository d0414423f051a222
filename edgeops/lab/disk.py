"""One host's own disk: its name, keys, addresses and faults, above the layers it shares with others of its kind."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from edgeops.lab import overlay
from edgeops.lab.cache import discard
from edgeops.lab.faults import FAULTS
from edgeops.lab.places import HostPlaces
from edgeops.lab.programs import Chroot, run
from edgeops.lab.records import PORT, USER, HostRecord


@dataclass(frozen=True)
class Disk:
    """The disk of the host at ``places``, over ``layers``."""

    places: HostPlaces
    layers: tuple[str, ...]

    def attach(self) -> Path:
        """Mount it, when it is not; returns its tree."""
        if not overlay.is_mounted(self.places.merged):
            self.places.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            overlay.mount(
                [Path(layer) for layer in self.layers], self.places.upper, self.places.work, self.places.merged
            )
        return self.places.merged

    def detach(self) -> None:
        overlay.unmount(self.places.merged)


def erase(places: HostPlaces) -> None:
    """Unmount and remove everything of the host, whatever state it is in."""
    discard(places.directory)
    places.record.unlink(missing_ok=True)


def personalize(tree: Path, record: HostRecord, login_key: str) -> str:
    """Make the mounted ``tree`` this one host, with its faults; returns its public host key."""
    (tree / "etc/machine-id").write_text("")
    (tree / "etc/hostname").write_text(f"{record.name}\n")
    (tree / "etc/hosts").write_text(f"127.0.0.1 localhost\n{record.address} {record.name}\n")
    drop_ins = tree / "etc/ssh/sshd_config.d"
    drop_ins.mkdir(exist_ok=True)
    (drop_ins / "lab.conf").write_text(f"ListenAddress {record.address}\nPort {PORT}\nMaxStartups 200\n")
    key = tree / "etc/ssh/ssh_host_ed25519_key"
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", f"root@{record.name}", "-f", key)
    _let_in(tree, login_key)
    for fault in record.faults:
        FAULTS[fault].apply(tree)
    return " ".join(key.with_suffix(".pub").read_text().split()[:2])


def _let_in(tree: Path, login_key: str) -> None:
    directory = tree / "home" / USER / ".ssh"
    directory.mkdir(mode=0o700)
    (directory / "authorized_keys").write_text(login_key + "\n")
    # Debian's and Ubuntu's sudo leaves this at an administrator's first use: here the box has been in use for a while.
    (tree / "home" / USER / ".sudo_as_admin_successful").touch()
    Chroot(tree).run("chown", "-R", f"{USER}:", f"/home/{USER}")
