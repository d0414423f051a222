"""What a server must show: ``e2e>=0.95*last``, ``speedup.k3>=1.1``, ``known_answers``. Parsed and judged, never run.

    gate   = name [ operator bound ] [ "?" ]
    name   = metric [ "." arm ] | guard            arm: baseline, k3, …; without one, the arm that users get
    bound  = number [ "*" "last" ] | "last" [ "*" number ]

A guard's name alone (or ``guards``, for all) wants it to hold. ``last`` is the same figure of the last accepted smoke
of the host. A gate that cannot be evaluated fails, since it shows nothing; a ``?`` at its end lets it pass then, and
only then: a first smoke has no ``last``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from edgeops.bench.gate_words import FLAGS, METRICS, Metric


class GateSyntaxError(ValueError):
    """No gate. ``position`` counts from 0 in ``text``; ``str()`` is a sentence."""

    def __init__(self, sentence: str, text: str, position: int) -> None:
        super().__init__(sentence)
        self.text = text
        self.position = position

    def drawn(self) -> str:
        """The sentence, and below it the expression with a mark where it goes wrong."""
        shown = "".join(character if character.isprintable() else "�" for character in self.text)
        return f"{self}, at position {self.position + 1}\n  {shown}\n  {' ' * self.position}^"


@dataclass(frozen=True)
class Bound:
    """``number``, or ``number`` times the last accepted figure."""

    number: float
    of_last: bool = False


@dataclass(frozen=True)
class Gate:
    """One expression. A flag (a guard) has no ``operator`` and no ``bound``; ``arm`` empty is the served one."""

    text: str
    name: str
    arm: str = ""
    operator: str = ""
    bound: Bound | None = None
    optional: bool = False

    @property
    def metric(self) -> Metric:
        """What it measures; only for a gate with an operator."""
        return METRICS[self.name]


_TOKENS = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?|\.\d+)"
    r"|(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)"
    r"|(?P<sign>>=|<=|>|<|\*|\?))",
    re.ASCII,
)
_ARM = re.compile(r"baseline|vanilla|k\d{1,2}")
_OPERATORS = (">=", "<=", ">", "<")
_LONGEST = 200


def parse(text: str) -> Gate:
    """The gate that ``text`` writes. Raises GateSyntaxError with the position where it goes wrong."""
    tokens = _Tokens(text)
    word, position = tokens.take("name", "the name of a figure or guard")
    name, _, arm = word.partition(".")
    if name in METRICS:
        gate = _figure(tokens, Gate(text, name, arm), position)
    elif name in FLAGS:
        gate = _flag(tokens, Gate(text, name, arm), position)
    else:
        known = f"figures are {', '.join(METRICS)}; guards are {', '.join(sorted(FLAGS))}"
        raise tokens.error(f"{name!r} is no figure and no guard ({known})", position)
    optional = tokens.peek() == "?" and bool(tokens.take("sign", "?"))
    tokens.end()
    return replace(gate, optional=optional)


def _figure(tokens: _Tokens, gate: Gate, position: int) -> Gate:
    if gate.arm and not _ARM.fullmatch(gate.arm):
        raise tokens.error(f"{gate.arm!r} is no arm (baseline, k3, …)", position + len(gate.name) + 1)
    operator, _ = tokens.take("operator", f"one of {' '.join(_OPERATORS)}")
    return replace(gate, operator=operator, bound=_bound(tokens))


def _flag(tokens: _Tokens, gate: Gate, position: int) -> Gate:
    if gate.arm:
        raise tokens.error(f"the guard {gate.name} has no arms", position + len(gate.name))
    if tokens.peek() in _OPERATORS:
        raise tokens.error(f"the guard {gate.name} holds or does not: nothing is compared", tokens.place())
    return gate


def _bound(tokens: _Tokens) -> Bound:
    if tokens.peek() == "last":
        tokens.take("name", "last")
        number = _factor(tokens) if tokens.peek() == "*" else 1.0
        return Bound(number, of_last=True)
    number = float(tokens.take("number", "a number or last")[0])
    if tokens.peek() != "*":
        return Bound(number)
    tokens.take("sign", "*")
    word, position = tokens.take("name", "last")
    if word != "last":
        raise tokens.error(f"last is wanted here, not {word!r}", position)
    return Bound(number, of_last=True)


def _factor(tokens: _Tokens) -> float:
    tokens.take("sign", "*")
    return float(tokens.take("number", "a number")[0])


class _Tokens:
    """The words of an expression, taken one after the other."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: list[tuple[str, str, int]] = []
        if len(text) > _LONGEST:
            raise self.error("a gate is a short expression", _LONGEST)
        at = 0
        while text[at:].strip():
            found = _TOKENS.match(text, at)
            if found is None:
                start = len(text) - len(text[at:].lstrip())
                raise self.error(f"{text[start]!r} has no meaning here", start)
            kind = str(found.lastgroup)
            word = found.group(kind)
            self._found.append(("operator" if word in _OPERATORS else kind, word, found.start(kind)))
            at = found.end()

    def peek(self) -> str:
        return self._found[0][1] if self._found else ""

    def place(self) -> int:
        return self._found[0][2] if self._found else len(self._text.rstrip())

    def take(self, kind: str, wanted: str) -> tuple[str, int]:
        """The next word and its position. Raises when it is of another kind."""
        if not self._found or self._found[0][0] != kind:
            seen = f", not {self.peek()!r}" if self._found else ""
            raise self.error(f"{wanted} is wanted here{seen}", self.place())
        _, word, position = self._found.pop(0)
        return word, position

    def end(self) -> None:
        if self._found:
            raise self.error(f"nothing more is wanted here, but {self.peek()!r} follows", self.place())

    def error(self, sentence: str, position: int) -> GateSyntaxError:
        return GateSyntaxError(sentence, self._text, position)


def parse_all(texts: Sequence[str]) -> tuple[Gate, ...]:
    """Each expression once, in the order given."""
    return tuple(parse(text) for text in dict.fromkeys(texts))
