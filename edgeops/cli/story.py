"""The story on stderr while hosts are worked on: a live line per host on a terminal, one line per event elsewhere."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType

import click
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from edgeops.cli.options import Common
from edgeops.deployment.phases import Phase

_MARKS = {"done": "✓", "skipped": "·", "failed": "✗"}
_PLAIN_MARKS = {"done": "ok", "skipped": "skipped", "failed": "FAILED"}
_MOST_LIVE_HOSTS = 20


class Story:
    """Listens to phases. Give ``tell`` to the workflow."""

    def __init__(self, common: Common, hosts: Sequence[str], waves: Sequence[Sequence[str]] = ()) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._verbose, self._yes = common.verbose, common.yes
        self._width = max((len(host) for host in hosts), default=0)
        self._now = {host: ("", "", time.monotonic()) for host in hosts}
        self._waves = waves if len(waves) > 1 or len(hosts) > _MOST_LIVE_HOSTS else ()
        self._failed: set[str] = set()
        self._begun: set[str] = set()
        live = self._console.is_terminal
        self._live = Live(get_renderable=self._table, console=self._console, transient=True) if live else None

    def __enter__(self) -> Story:
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()

    def tell(self, host: str, phase: Phase) -> None:
        """One event of one host."""
        if phase.status == "running":
            self._tell_running(host, phase)
            return
        self._now[host] = ("", "", time.monotonic())
        if phase.status == "failed":
            self._failed.add(host)
        if self._live and self._waves and phase.status != "failed" and not self._verbose:
            return  # the table by wave tells it; a hundred hosts' lines would hide what matters
        mark = (self._mark(phase), _style(phase))
        self._print(host, Text.assemble(mark, f" {phase.name:<8}{phase.seconds:6.1f} s  {phase.detail}"))

    def say(self, sentence: str) -> None:
        """Something about the whole."""
        self._console.print(Text(sentence, style="bold"), soft_wrap=True)

    def ask(self, question: str) -> bool:
        """Put a yes-or-no question on the terminal; no answer is a no."""
        if self._live:
            self._live.stop()  # it would draw over the question
        try:
            return self._yes or click.confirm(question, err=True)
        except click.Abort:
            return False
        finally:
            if self._live:
                self._live.start()

    def _tell_running(self, host: str, phase: Phase) -> None:
        self._begun.add(host)
        before, _, began = self._now[host]
        self._now[host] = (phase.name, phase.detail, began if before == phase.name else time.monotonic())
        if phase.detail and not self._live:
            self._print(host, Text(f"   {phase.name:<8}          {phase.detail}", style="dim"))

    def _print(self, host: str, line: Text) -> None:
        line = Text(f"{host:<{self._width}}  ") + line
        self._console.print(line, soft_wrap=True)

    def _mark(self, phase: Phase) -> str:
        return (_MARKS if self._live else _PLAIN_MARKS)[phase.status]

    def _table(self) -> Group:
        table = Table.grid(padding=(0, 2))
        busy = [(host, *now) for host, now in self._now.items() if now[0]]
        for host, phase, detail, began in busy[:_MOST_LIVE_HOSTS]:
            line = Text(detail, style="dim", overflow="ellipsis", no_wrap=True)
            table.add_row(host, phase, f"{time.monotonic() - began:.0f} s", line)
        return Group(*(self._wave(number, wave) for number, wave in enumerate(self._waves, 1)), table)

    def _wave(self, number: int, wave: Sequence[str]) -> Text:
        busy = sum(1 for host in wave if self._now[host][0])
        failed = sum(1 for host in wave if host in self._failed)
        begun = sum(1 for host in wave if host in self._begun)
        counts = {"at work": busy, "failed": failed, "through": begun - busy - failed, "waiting": len(wave) - begun}
        told = ", ".join(f"{count} {word}" for word, count in counts.items() if count > 0)
        hosts = "1 host" if len(wave) == 1 else f"{len(wave)} hosts"
        return Text(f"wave {number} of {len(self._waves)}: {hosts}, {told}", style="bold")


def _style(phase: Phase) -> str:
    return {"done": "green", "failed": "bold red"}.get(phase.status, "dim")
