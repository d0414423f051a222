"""How much is measured, for the commands that measure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

repeat_option = click.option(
    "--repeat", type=click.IntRange(1, 100), default=1, show_default=True, help="Paired blocks a prompt."
)
max_tokens_option = click.option(
    "--max-tokens", type=click.IntRange(2, 4096), default=128, show_default=True, help="Tokens an answer."
)


def baseline_option(help_text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``--baseline``: what speculative decoding is compared with."""
    kinds = click.Choice(["drafting-off", "vanilla"])
    return click.option("--baseline", type=kinds, default="drafting-off", show_default=True, help=help_text)
