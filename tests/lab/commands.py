"""Runs ``edgeops`` as a user would, in a lab's workspace, and changes the lab's inventory for the length of a test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Running:
    """A started command; ``told`` is what it has said on stderr so far."""

    process: subprocess.Popen[str]
    told: list[str] = field(default_factory=list)

    def wait_for(self, *words: str) -> None:
        """Read stderr until a line holds all of ``words``."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.told.append(line)
            if all(word in line for word in words):
                return
        raise AssertionError(f"ended without {words}: {''.join(self.told)}")

    def wait_for_each(self, *groups: tuple[str, ...]) -> None:
        """Read stderr until for each group some line held all of its words, in whatever order."""
        missing = list(groups)
        while missing:
            self.wait_for("")
            missing = [group for group in missing if not all(word in self.told[-1] for word in group)]

    def finish(self) -> tuple[int, str]:
        """Exit code and everything that was said, stdout and stderr."""
        out, err = self.process.communicate(timeout=240)
        return self.process.returncode, "".join(self.told) + err + out


class Commands:
    """``edgeops`` in the workspace of ``lab``."""

    def __init__(self, lab: Any) -> None:
        self.lab = lab
        self.directory = lab.workspace.root
        self.variables: dict[str, str] = {}

    @contextmanager
    def environment(self, **variables: str) -> Iterator[None]:
        """More variables for the commands that are run in the body; nothing of it reaches a host."""
        before = self.variables
        self.variables = before | variables
        try:
            yield
        finally:
            self.variables = before

    def run(self, *words: str, stdin: str = "", timeout: float = 280) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self._words(words),
            cwd=self.directory,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            env=_environment() | self.variables,
            start_new_session=True,
        )

    def json(self, *words: str) -> Any:
        """The document on stdout; the command must succeed."""
        ran = self.run(*words, "--json")
        assert ran.returncode == 0, f"{words}: {ran.returncode}\n{ran.stdout}\n{ran.stderr}"
        return json.loads(ran.stdout)

    @contextmanager
    def started(self, *words: str) -> Iterator[Running]:
        process = subprocess.Popen(
            self._words(words),
            cwd=self.directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=_environment() | self.variables,
        )
        try:
            yield Running(process)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()

    @contextmanager
    def settings(self, host: str, **settings: object) -> Iterator[None]:
        """Write ``settings`` of ``host`` into the lab's inventory, and take them out again."""
        path = self.directory / ".edgeops" / "lab" / "inventory.yml"
        before = path.read_text()
        lines = before.splitlines(keepends=True)
        place = next(number for number, line in enumerate(lines) if line.strip() == f"{host}:")
        indent = " " * (len(lines[place]) - len(lines[place].lstrip()) + 2)
        end = next((n for n in range(place + 1, len(lines)) if not lines[n].startswith(indent)), len(lines))
        kept = [line for line in lines[place + 1 : end] if line.strip().split(":")[0] not in settings]
        new = [f"{indent}{key}: {json.dumps(value)}\n" for key, value in settings.items()]
        lines[place + 1 : end] = [*new, *kept]
        path.write_text("".join(lines))
        try:
            yield
        finally:
            path.write_text(before)

    @staticmethod
    def _words(words: tuple[str, ...]) -> list[str]:
        return [sys.executable, "-m", "edgeops", *words]


def _environment() -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("EDGEOPS_")}
    return kept | {"COLUMNS": "200", "PYTHONUNBUFFERED": "1"}


def outcomes(document: dict[str, Any]) -> dict[str, str]:
    """How each host of a deploy ended."""
    return {host["host"]: host["outcome"] for host in document["hosts"]}


def running_k(host: Any) -> int:
    """The k on the running process's command line."""
    pid = host.said("systemctl show trtedge -p MainPID --value")
    return json.loads(host.said(f"tr '\\0' '\\n' < /proc/{pid}/cmdline | grep num_spec"))["num_speculative_tokens"]
