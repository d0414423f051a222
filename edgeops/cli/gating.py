"""``--gate``, for the commands that measure."""

from __future__ import annotations

import click

from edgeops.bench import gates


def read_gates(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> tuple[gates.Gate, ...]:
    """Each expression, or exit 2 with the place where it goes wrong."""
    try:
        return gates.parse_all(texts)
    except gates.GateSyntaxError as error:
        raise click.BadParameter(error.drawn()) from None


gate_option = click.option(
    "--gate",
    "gates",
    multiple=True,
    callback=read_gates,
    metavar="EXPR",
    help="What must hold, else exit code 4: 'speedup.k3>=1.1', 'e2e>=0.95*last', 'known_answers'. May be given again.",
)
