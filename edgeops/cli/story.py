"""The story on stderr while hosts are worked on: a live line per host on a terminal, one line per event elsewhere."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from edgeops.cli.options import Common
from edgeops.deployment.phases import Phase

_MARKS = {"done": "✓", "skipped": "·", "failed": "✗"}
_PLAIN_MARKS = {"done": "ok", "skipped": "skipped", "failed": "FAILED"}
_MOST_LIVE_HOSTS = 30


class Story:
    """Listens to phases. Give ``tell`` to the workflow."""

    def __init__(self, common: Common, hosts: Sequence[str]) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._verbose = common.verbose
        self._width = max((len(host) for host in hosts), default=0)
        self._now = {host: ("", "", time.monotonic()) for host in hosts}
        live = self._console.is_terminal and len(hosts) <= _MOST_LIVE_HOSTS
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
        self._say(
            host,
            Text.assemble(
                (self._mark(phase), _style(phase)), f" {phase.name:<8}{phase.seconds:6.1f} s  {phase.detail}"
            ),
        )

    def _tell_running(self, host: str, phase: Phase) -> None:
        before, _, began = self._now[host]
        self._now[host] = (phase.name, phase.detail, began if before == phase.name else time.monotonic())
        if phase.detail and not self._live:
            self._say(host, Text(f"   {phase.name:<8}          {phase.detail}", style="dim"))

    def _say(self, host: str, line: Text) -> None:
        line = Text(f"{host:<{self._width}}  ") + line
        self._console.print(line, soft_wrap=True)

    def _mark(self, phase: Phase) -> str:
        return (_MARKS if self._live else _PLAIN_MARKS)[phase.status]

    def _table(self) -> Table:
        table = Table.grid(padding=(0, 2))
        for host, (phase, detail, began) in self._now.items():
            if phase:
                table.add_row(
                    host,
                    phase,
                    f"{time.monotonic() - began:.0f} s",
                    Text(detail, style="dim", overflow="ellipsis", no_wrap=True),
                )
        return table


def _style(phase: Phase) -> str:
    return {"done": "green", "failed": "bold red"}.get(phase.status, "dim")
