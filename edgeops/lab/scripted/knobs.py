"""What can be set on a scripted engine while it runs: read again at each start, build and request."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path("/etc/lab/engine.json")
"""On a simulated host, readable by all."""

SICK = ("error_before", "error_mid", "hang")
FAILURES = ("", "load", "load_always", "build", *SICK)


class KnobError(Exception):
    """A knob that does not exist, or a value that it cannot have."""


@dataclass(frozen=True)
class Knob:
    """``default`` decides the type; None is a number that follows the speed model."""

    default: str | float | None
    summary: str
    choices: tuple[str, ...] = ()

    def read(self, name: str, value: object) -> str | float | None:
        """``value`` in this knob's type. Raises KnobError."""
        if isinstance(self.default, str):
            if self.choices and str(value) not in self.choices:
                raise KnobError(f"{name} cannot be {value!r}. It may be: {', '.join(filter(None, self.choices))}")
            return str(value)
        try:
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise KnobError(f"{name} must be a number, not {value!r}") from None
        if not 0 <= number < 1e9:
            raise KnobError(f"{name} must be between 0 and 1e9, not {value!r}")
        return number


KNOBS = {
    "baseline_tok_s": Knob(None, "tokens per second without speculation; default 73.4 as published"),
    "spec_tok_s": Knob(None, "tokens per second with speculation, for every k; default: the speed model"),
    "ttft_ms": Knob(None, "time to the first token; default: grows with the prompt as published"),
    "spec_ttft_ms": Knob(None, "the same with speculation; default: ttft_ms, else as published"),
    "accept": Knob(None, "mean tokens per step with speculation; default: the speed model"),
    "spread": Knob(1.0, "how much speed differs between prompts, in percent"),
    "max_tokens": Knob(0, "stop with an end token after so many tokens; 0: never"),
    "think_tokens": Knob(24, "tokens of reasoning before the answer when thinking is on"),
    "build_s": Knob(1, "pretended engine build, seconds"),
    "load_s": Knob(0, "pretended engine load, seconds"),
    "fail": Knob(
        "",
        "what goes wrong: load (flags that have never loaded here), load_always, build, error_before, "
        "error_mid (third step), hang; of the last three a restart with flags that served well before is spared",
        FAILURES,
    ),
    "throttle": Knob(0, "1: nvidia-smi says that heat slows the clock down"),
    "clock_mhz": Knob(None, "GPU clock that nvidia-smi says; default: as the kind's"),
    "power_w": Knob(None, "power that nvidia-smi says; default: as the kind's"),
    "temperature_c": Knob(None, "GPU temperature that nvidia-smi says; default: as the kind's"),
    "gpu_user": Knob("", "name of another process that uses the GPU; empty: none"),
    "mem_available_gib": Knob(None, "MemAvailable of /proc/meminfo; default: as the kind's"),
    "text": Knob(
        "",
        "what is said: empty for an answer, garbage for noise (spared as above), else these words over and over",
    ),
}
_ONE_K = re.compile(r"(spec_tok_s|accept)_(\d{1,2})")
"""``spec_tok_s_5=90``: the same for one k only."""


def knob_called(name: str) -> Knob:
    """The knob of that name. Raises KnobError naming the known ones."""
    one_k = _ONE_K.fullmatch(name)
    if one_k:
        return KNOBS[one_k[1]]
    if name not in KNOBS:
        raise KnobError(f"no knob is called {name!r}. Known: {', '.join(KNOBS)}, and spec_tok_s_K, accept_K for one k")
    return KNOBS[name]


@dataclass(frozen=True)
class Knobs:
    """The values that were set; whatever was not has its default."""

    values: Mapping[str, str | float | None]

    def text(self, name: str) -> str:
        value = self.values.get(name, KNOBS[name].default)
        return value if isinstance(value, str) else ""

    def number(self, name: str, default: float = 0) -> float:
        """A number: what was set, else the knob's own default, else ``default``."""
        value = self.values.get(name, KNOBS[name].default)
        return value if isinstance(value, (int, float)) else default

    @property
    def sick(self) -> bool:
        """Whether requests go wrong: they fail, hang or are answered with noise."""
        return self.text("text") == "garbage" or self.text("fail") in SICK

    def cured(self) -> Knobs:
        """The same without what makes requests go wrong."""
        return Knobs({name: value for name, value in self.values.items() if name not in ("text", "fail")})

    def for_k(self, name: str, k: int, default: float) -> float:
        """What was set for this ``k``, else for every k, else ``default``."""
        value = self.values.get(f"{name}_{k}")
        return value if isinstance(value, (int, float)) else self.number(name, default)


def knobs_of(values: Mapping[str, Any]) -> Knobs:
    """Checked values. Raises KnobError."""
    return Knobs({name: knob_called(name).read(name, value) for name, value in values.items()})


def read_knobs(path: Path = FILE) -> Knobs:
    """The knobs in ``path``; all defaults when there is no such file. Raises KnobError for a broken one."""
    try:
        values = json.loads(path.read_text())
    except FileNotFoundError:
        return Knobs({})
    except ValueError as error:
        raise KnobError(f"{path} is no JSON: {error}") from None
    if not isinstance(values, dict):
        raise KnobError(f"{path} must hold one JSON object")
    return knobs_of(values)
