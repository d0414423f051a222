"""One run as one page of HTML that needs nothing beside it: no network, no script, no file.

Pure functions make drawings and sentences of records; templates/report.html.j2 sets them. Everything that a host, a
server or a file said is escaped there.
"""

from __future__ import annotations

import itertools
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, UndefinedError

from edgeops.history import PastRun
from edgeops.locations import TEMPLATES
from edgeops.report.page.drawing import said
from edgeops.report.page.view import page_view

__all__ = ["render"]


def render(past: PastRun) -> str:
    """The page. Raises KeyError, TypeError or AttributeError when a stored result is not in its shape."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["visible"] = visible
    environment.globals["next_id"] = itertools.count(1).__next__
    environment.globals["said"] = said
    try:
        return environment.get_template("report.html.j2").render(page=page_view(past)) + "\n"
    except UndefinedError as error:
        raise KeyError(str(error)) from None


def visible(value: Any) -> str:
    """Text without control and direction characters, which could make a page read as something else."""
    return "".join(character if character.isprintable() or character == "\n" else "�" for character in str(value))
