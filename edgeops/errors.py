"""What edgeops says when it cannot go on: one sentence, one remedy, one exit code (design of the command line)."""

from __future__ import annotations

from typing import IO, Any

import click


class EdgeopsError(click.ClickException):
    """Base of all errors that a user sees. ``remedy`` is what to do about it, empty where nothing is known."""

    exit_code = 1

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy

    def also(self, sentence: str) -> None:
        """Add what was found out while this error was on its way."""
        # click declares it final, for those who catch the error.
        self.message = f"{self.message}; and {sentence}"  # type: ignore[misc]

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the sentence, and the remedy below it, on stderr."""
        click.echo(f"Error: {self.message}", file=file, err=True)
        if self.remedy:
            click.echo(f"  Remedy: {self.remedy}", file=file, err=True)


class ConfigurationError(EdgeopsError):
    """An unknown target or key, a bad inventory, options that contradict one another."""

    exit_code = 2


class RequirementError(EdgeopsError):
    """A requirement failed; nothing was changed."""

    exit_code = 3


class GateError(EdgeopsError):
    """A gate failed; the host was rolled back."""

    exit_code = 4


class LockedError(EdgeopsError):
    """Somebody else is changing the host."""

    exit_code = 5
