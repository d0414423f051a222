"""``edgeops chat``: parse, hold a conversation, print what comes."""

from __future__ import annotations

import json
import signal
from typing import Any

import click
import gevent

from edgeops.chat import Answer, Conversation, Piece, Wishes, talking
from edgeops.cli.options import Common, access_options, common_options
from edgeops.cli.targets import one_host
from edgeops.errors import EdgeopsError
from edgeops.report.smoke import plain

_INTERRUPTED = 130


@click.command(short_help="Talk to the served model over the SSH connection.")
@click.argument("target")
@click.option("--once", metavar="PROMPT", help="Ask this, print the answer, and leave.")
@click.option("--thinking", is_flag=True, help="Let the model reason first, where it can.")
@click.option("--max-tokens", type=click.IntRange(1, 32768), default=1024, show_default=True, help="Tokens an answer.")
@access_options
@common_options
def chat(common: Common, target: str, once: str | None, thinking: bool, max_tokens: int, access: Any) -> None:
    """Talk to the model that TARGET serves, from here, with the figures of each answer.

    Goes over the SSH connection: nothing has to be opened on the host. The running service answers; no second engine
    is loaded. Reasoning is dimmed. The figures are seen from here, so the time to the first text has the network in it.

    \b
    /exit or Ctrl-D   leave
    /new              forget what was said
    Ctrl-C            stop the answer that is coming

    \b
    edgeops chat spark-01
    edgeops chat spark-01 --once "What is a verify step?" --json
    """
    if common.json and once is None:
        raise click.UsageError("--json belongs to --once")
    host = one_host(common, target)
    wishes = Wishes(max_tokens, thinking)
    if once is None:
        talking(host, wishes, access, lambda conversation: _converse(conversation, host.name))
        return
    answer = talking(host, wishes, access, lambda conversation: _ask_once(conversation, once, quiet=common.json))
    if common.json:
        document = {"schema": "edgeops.chat/1", "host": host.name, **answer.document()}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    if answer.cut:
        click.get_current_context().exit(_INTERRUPTED)


def _ask_once(conversation: Conversation, text: str, *, quiet: bool) -> Answer:
    with _Interrupts(conversation):
        return _answer(conversation, text, quiet=quiet)


def _converse(conversation: Conversation, name: str) -> bool:
    """Until the end of input. Lines are read in a thread of their own, so that the connection stays alive meanwhile."""
    click.echo(f"{name} serves {plain(conversation.model)}. /exit or Ctrl-D leaves, Ctrl-C stops an answer.", err=True)
    with _Interrupts(conversation):
        while True:
            text = gevent.get_hub().threadpool.apply(_line)
            if text is None or text in ("/exit", "/quit"):
                return True
            if text == "/new":
                conversation.messages.clear()
            elif text:
                _try(conversation, text)


def _try(conversation: Conversation, text: str) -> None:
    try:
        _answer(conversation, text, quiet=False)
    except EdgeopsError as error:
        if "connection" in error.message and "lost" in error.message:
            raise
        click.echo()
        click.echo(plain(f"{error.message} {error.remedy}".strip()), err=True)


def _line() -> str | None:
    try:
        return input("> ").strip()
    except (EOFError, UnicodeDecodeError):
        return None


def _answer(conversation: Conversation, text: str, *, quiet: bool) -> Answer:
    answer = conversation.say(text, (lambda _: None) if quiet else _show)
    if not quiet:
        click.echo()
    click.secho(answer.sentence(), err=True, dim=True)
    return answer


def _show(piece: Piece) -> None:
    safe = "".join(c if c.isprintable() or c in "\n\t" else "�" for c in piece.text)
    click.secho(safe, nl=False, dim=True if piece.reasoning else None)


class _Interrupts:
    """While it is entered Ctrl-C stops the answer that is coming, and nothing else."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    def __enter__(self) -> None:
        self._watcher = gevent.signal_handler(signal.SIGINT, self._interrupted)

    def __exit__(self, *_: object) -> None:
        self._watcher.cancel()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def _interrupted(self) -> None:
        if not self._conversation.cut():
            click.echo("\n/exit or Ctrl-D leaves", err=True)
