"""``edgeops tunnel``: parse, hold the port open, say how to use it."""

from __future__ import annotations

import json
import shlex
from typing import Any

import click

from edgeops.cli.options import Common, access_options, common_options
from edgeops.cli.targets import one_host


@click.command(short_help="Hold the server's port open on this machine.")
@click.argument("target")
@click.option(
    "--port", type=click.IntRange(1, 65535), help="On this machine. Default: the server's own, or a free one."
)
@access_options
@common_options
def tunnel(common: Common, target: str, port: int | None, access: Any) -> None:
    """Lead a port of this machine to the server of TARGET, over SSH, until Ctrl-C: for any OpenAI-compatible client.

    It listens on 127.0.0.1 alone. When the connection breaks it is made again on the same port; a request that was
    under way is lost. With --json the first line on stdout is a document with the URL.

    \b
    edgeops tunnel spark-01
    edgeops tunnel spark-01 --port 9000
    """
    from edgeops import engine
    from edgeops.report.smoke import plain
    from edgeops.tunnel import Tunnel, hold

    host = one_host(common, target)

    def tell(news: Tunnel | str) -> None:
        if isinstance(news, str):
            click.echo(plain(f"{host.name}: {news}"), err=True)
        elif common.json:
            click.echo(json.dumps({"schema": "edgeops.tunnel/1", "host": host.name, "url": news.url}))
        else:
            _say(news)

    try:
        hold(host, port, access, tell)
    except (engine.Interrupted, KeyboardInterrupt):
        click.echo("closed", err=True)


def _say(tunnel: Any) -> None:
    settings = tunnel.host.settings
    if tunnel.port != tunnel.wanted:
        click.echo(f"port {tunnel.wanted} of this machine is taken; another one is used", err=True)
    click.echo(tunnel.url)
    body = json.dumps({"model": settings.name_served, "messages": [{"role": "user", "content": "Say hello."}]})
    key = (
        f' -H "Authorization: Bearer $(cat {shlex.quote(str(settings.api_key_file))})"' if settings.api_key_file else ""
    )
    line = f"curl {tunnel.url}/v1/chat/completions{key} -H 'Content-Type: application/json' -d {shlex.quote(body)}"
    click.echo(f"open until Ctrl-C. Try:\n  {line}", err=True)
