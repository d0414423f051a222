"""What the scripted engine reads and says: prompt tokens by length, right answers to the simplest questions, then plain
prose. Pure.
"""

from __future__ import annotations

import math
import operator
import random
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

CHARACTERS_A_TOKEN = 3.5
TEMPLATE_TOKENS = 9
"""A prompt of 455 characters, the size of a HumanEval task, counts 139 tokens as in the vendor's table."""

_TEXT = (
    "This text comes from a scripted engine and not from a model . It exists so that an installation can be tried "
    "from end to end without a graphics processor : the words arrive at a known pace , in steps of one or of "
    "several , and whoever measures them can compare the result with the clock of the engine itself . Nothing that "
    "is said here should be taken for the answer of a model ."
)
_PROSE = _TEXT.split()
_GARBAGE = ("#", "}{", "0x", "~~", "??", "\\\\", "<>", "%%")

_ARITHMETIC = re.compile(r"(\d{1,6})\s*([-+*x×])\s*(\d{1,6})")
_OPERATORS = {"+": operator.add, "-": operator.sub}
_CAPITALS = {"france": "Paris", "germany": "Berlin", "italy": "Rome", "spain": "Madrid", "japan": "Tokyo"}
_CAPITAL = re.compile(r"capital(?: city)? of (\w+)", re.IGNORECASE)


@dataclass(frozen=True)
class Reply:
    """``tokens`` are pieces of text that make the whole when joined."""

    tokens: tuple[str, ...]
    ended: bool


def prompt_token_count(prompt: str) -> int:
    """Tokens of a prompt's text, the chat template's included."""
    return TEMPLATE_TOKENS + math.ceil(len(prompt) / CHARACTERS_A_TOKEN)


def prompt_seed(prompt: str) -> int:
    """A number that depends on the prompt alone."""
    return zlib.crc32(prompt.encode(errors="replace"))


def prompt_leaning(prompt: str) -> float:
    """From -1 to 1, evenly spread over prompts."""
    return random.Random(prompt_seed(prompt)).uniform(-1, 1)


def known_answer(prompt: str) -> str:
    """The answer to a sum, a product or a capital that is asked for in ``prompt``; empty when none is."""
    sums = _ARITHMETIC.search(prompt)
    if sums:
        return str(_OPERATORS.get(sums[2], operator.mul)(int(sums[1]), int(sums[3])))
    capital = _CAPITAL.search(prompt)
    return _CAPITALS.get(capital[1].lower(), "") if capital else ""


def reply(prompt: str, wanted: Wanted) -> Reply:
    """The whole answer, cut at its length limit or before a stop string."""
    tokens: list[str] = []
    for token in _stream(prompt, wanted):
        if len(tokens) == wanted.limit:
            return Reply(tuple(tokens), wanted.ends)
        tokens.append(token)
        place = _stop_place("".join(tokens), wanted.stops)
        if place >= 0:
            return Reply(tuple(_cut(tokens, place)), True)
    return Reply(tuple(tokens), True)


@dataclass(frozen=True)
class Wanted:
    """``limit`` in tokens; ``ends`` when reaching it is an end and not a cut; ``thinking`` tokens come before the
    answer.
    """

    limit: int
    ends: bool = False
    stops: tuple[str, ...] = ()
    thinking: int = 0
    text: str = ""


def _stream(prompt: str, wanted: Wanted) -> Iterator[str]:
    vocabulary = _vocabulary(wanted.text)
    place = prompt_seed(prompt) % len(vocabulary) if not wanted.text else 0
    for number in range(wanted.thinking):
        yield vocabulary[(place + number) % len(vocabulary)] + " "
    if wanted.thinking:
        yield "</think>"
    answer = known_answer(prompt) if not wanted.text else ""
    if answer:
        yield from (answer, ". ")
    while True:
        yield vocabulary[place % len(vocabulary)] + " "
        place += 1


def _vocabulary(text: str) -> tuple[str, ...]:
    if text == "garbage":
        return _GARBAGE
    return tuple(text.split()) or tuple(_PROSE)


def _stop_place(text: str, stops: tuple[str, ...]) -> int:
    places = [text.find(stop) for stop in stops if stop]
    return min((place for place in places if place >= 0), default=-1)


def _cut(tokens: list[str], place: int) -> Iterator[str]:
    for token in tokens:
        if place <= 0:
            return
        yield token[:place]
        place -= len(token)
