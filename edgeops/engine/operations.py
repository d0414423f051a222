"""Operations of our own, where pyinfra has no sound one: a pinned release, a secret file, a switched link.

pyinfra 3.10's ``pip.packages`` drops extras silently and reinstalls local versions on every run, ``pip.venv`` sees
neither interpreter nor flags of a venv, ``files.put`` leaves a secret readable in a temporary directory,
``files.link`` has a moment without a link.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator
from pathlib import Path

from pyinfra import host
from pyinfra.api import FactBase, StringCommand, operation

from edgeops.desired import Checkpoint, Release
from edgeops.layout import PIP_CACHE
from edgeops.locations import DEPLOYS
from edgeops.quoting import shell

ON_HOST = DEPLOYS / "on_host"
Commands = Generator[StringCommand, None, None]


class FileText(FactBase[str]):
    """A file's content, empty where there is none."""

    default = str

    def command(self, path: str) -> str:
        return f"cat {shell(path)} 2>/dev/null || true"

    def process(self, output: list[str]) -> str:
        return "\n".join(output)


@operation()
def release(wanted: Release, python: str = "/usr/bin/python3") -> Commands:
    """A venv over the system's packages that holds ``wanted`` with its extra, proven by its requirement closure.

    ``release.json`` is written last, so an installation that was cut off is begun anew. ``closure.json`` keeps the
    versions of all packages that the requirement led to.
    """
    if _object(host.get_fact(FileText, path=f"{wanted.directory}/release.json")) == wanted.marker:
        host.noop(f"{wanted.name} is installed")
        return
    inside = f"{wanted.venv}/bin/python"
    constraints = f"{wanted.directory}/constraints.txt"
    yield StringCommand(shell("mkdir", "-p", wanted.directory, PIP_CACHE))
    yield StringCommand(_alone(), shell(python, "-m", "venv", "--clear", "--system-site-packages", wanted.venv))
    yield StringCommand(f"cat > {shell(constraints)}", _stdin=wanted.constraints + "\n")
    yield StringCommand(_pip(inside, constraints, wanted))
    closure = shell(inside, "-I", "-", wanted.requirement, f"{wanted.directory}/closure.json")
    yield StringCommand(closure, _stdin=_program("closure.py"))
    yield StringCommand(f"cat > {shell(wanted.directory + '/serve_with_key.py')}", _stdin=_program("serve_with_key.py"))
    marker = f"{wanted.directory}/release.json"
    yield StringCommand(
        f"cat > {shell(marker)}.new && mv {shell(marker)}.new {shell(marker)}", _stdin=json.dumps(wanted.marker)
    )


def _pip(python: str, constraints: str, wanted: Release) -> str:
    # A small /tmp is a known way for a large wheel to fail: what pip unpacks goes beside its cache.
    words = ("-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--progress-bar", "off")
    arguments = ("--cache-dir", PIP_CACHE, "-c", constraints, *wanted.pip_arguments, wanted.requirement)
    return f"TMPDIR={shell(PIP_CACHE)} {_alone()} " + shell(python, *words, *arguments)


def _alone() -> str:
    """A pip that was cut off from its terminal may still be at work: the next one waits until it is through."""
    return shell("flock", "-w", "1800", f"{PIP_CACHE}/lock")


@operation()
def download(wanted: Checkpoint, venv: str, token: str) -> Commands:
    """One revision of a Hugging Face repository into its own directory, with the release's own ``hf``; resumable.

    ``.edgeops.json`` is written last. The token comes on standard input and is in nobody's argv.
    """
    words = ("download", wanted.source, "--revision", wanted.revision or "main", "--local-dir", wanted.directory)
    begin = 'IFS= read -r HF_TOKEN; [ -z "$HF_TOKEN" ] || export HF_TOKEN; '
    yield StringCommand(begin + "exec " + shell(f"{venv}/bin/hf", *words), _stdin=token + "\n")
    marker = shell(f"{wanted.directory}/.edgeops.json")
    yield StringCommand(f"cat > {marker}.new && mv {marker}.new {marker}", _stdin=json.dumps(wanted.marker))


@operation()
def secret(path: str, content: str, sha256: str | None) -> Commands:
    """A file only root can read, from its first byte on; ``sha256`` is what is there now. Nothing of it is ever in
    argv."""
    if sha256 == hashlib.sha256(content.encode()).hexdigest():
        host.noop(f"{path} holds it already")
        return
    new = shell(path + ".new")
    yield StringCommand(f"umask 077; cat > {new} && mv -f {new} {shell(path)}", _stdin=content)


@operation()
def link(path: str, target: str) -> Commands:
    """A symbolic link that is switched by one rename: there is no moment without it."""
    found = host.get_fact(LinkTarget, path=path)
    if found == target:
        host.noop(f"{path} points there")
        return
    new = shell(path + ".new")
    yield StringCommand(f"ln -sfn {shell(target)} {new} && mv -T {new} {shell(path)}")


class LinkTarget(FactBase[str]):
    """Where a link points, empty where there is none."""

    default = str

    def command(self, path: str) -> str:
        return f"readlink {shell(path)} || true"

    def process(self, output: list[str]) -> str:
        return output[0] if output else ""


def _program(name: str) -> str:
    return Path(ON_HOST / name).read_text(encoding="utf-8")


def _object(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None
