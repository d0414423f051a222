"""Makes docs/troubleshooting.md of troubleshooting.yml: python docs/troubleshooting.py

What edgeops says is not written there. It comes from the requirements, judging the snapshots below tests/data, and
messages are looked up in the source: the page cannot say what the program does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from edgeops.requirements import REQUIREMENTS, Verdict, judge
from edgeops.settings import Settings
from edgeops.snapshot import Answer
from edgeops.snapshot.documents import read

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "troubleshooting.md"
PROBLEMS = ROOT / "docs" / "troubleshooting.yml"
SNAPSHOTS = ROOT / "tests" / "data" / "snapshots"

Problem = Mapping[str, Any]
"""symptoms, cause, says (a list of Saying), to_do and links, the last two where there are any."""

Saying = Mapping[str, Any]
"""Either requirement and snapshot, with answers and settings of its own; or command, message and file."""

INTRODUCTION = """# When something is wrong

`edgeops check` finds most of what follows before anything is changed, `edgeops prepare` mends what is safe to mend, and
a deploy that fails says why, in the server's own last words. This page goes from what you see to what it means.

* **First** `edgeops check TARGET`: one line of cause and one of remedy for each fault.
* **Then** `edgeops prepare TARGET --dry-run`: what edgeops would put right by itself. It installs python3-venv and
  TensorRT's packages at the one pinned version, puts them on hold and creates the groups; driver, kernel, firmware and
  CUDA it never touches.
* **To ask somebody else**, `edgeops check TARGET --save DIR` keeps what the host said, without serial numbers, names
  and tokens.

`python docs/troubleshooting.py` makes this page of the requirements themselves.
"""

REFERENCE = """## Every requirement

What `edgeops check` judges, why, and what it says where it is not met. A requirement fails (nothing is deployed),
warns, or is skipped where the host did not say enough. `accept: [ID]` in the inventory turns a failure that a host may
have into a warning.
"""


def page() -> str:
    """The whole page. Raises ValueError where it would say what edgeops does not."""
    source = yaml.safe_load(PROBLEMS.read_text(encoding="utf-8"))
    lines = [INTRODUCTION]
    for chapter in source["chapters"]:
        lines += [f"## {chapter['title']}", ""]
        for problem in chapter["problems"]:
            lines += _problem(problem)
    return "\n".join([*lines, REFERENCE, *_reference(source["rare"])]).rstrip() + "\n"


def _problem(problem: Problem) -> Iterator[str]:
    yield f"### {' · '.join(code(symptom) for symptom in problem['symptoms'])}"
    yield ""
    yield f"* **Cause:** {problem['cause']}"
    for saying in problem["says"]:
        yield from _judged(saying) if "requirement" in saying else _quoted(saying)
    if "to_do" in problem:
        yield f"* **To do:** {problem['to_do']}"
    if "links" in problem:
        yield f"* **See:** {', '.join(f'<{link}>' for link in problem['links'])}"
    yield ""


def _judged(saying: Saying) -> Iterator[str]:
    verdict = verdict_of(saying)
    does = "fails" if verdict.status == "fail" else "warns"
    yield f"* **edgeops check:** [{verdict.id}](#{verdict.id.replace('.', '')}) {does}: {code(verdict.found)}"
    if verdict.remedy:
        yield f"  * its remedy: {code(verdict.remedy)}"


def _quoted(saying: Saying) -> Iterator[str]:
    if saying["message"] not in (ROOT / saying["file"]).read_text(encoding="utf-8"):
        raise ValueError(f"{saying['file']} does not say: {saying['message']}")
    yield f"* **{saying['command']}** says: {code(saying['message'])}"


def verdict_of(saying: Saying) -> Verdict:
    """What the requirement says of the snapshot. Raises ValueError where it has nothing to complain about."""
    host = read(SNAPSHOTS / f"{saying['snapshot']}.json")
    answers = {probe: Answer(answer["rc"], answer["out"]) for probe, answer in saying.get("answers", {}).items()}
    judged = judge(replace(host, probes={**host.probes, **answers}), _settings(saying))
    (found,) = (verdict for verdict in judged if verdict.id == saying["requirement"])
    if found.status not in ("fail", "warn"):
        raise ValueError(f"{saying['requirement']} does not complain about {saying['snapshot']}: {found.status}")
    return found


def _settings(saying: Saying) -> Settings:
    expected = yaml.safe_load((SNAPSHOTS / f"{saying['snapshot']}.expected.yml").read_text(encoding="utf-8"))
    return Settings(**{**expected.get("settings", {}), **saying.get("settings", {})})


def _reference(rare: Iterable[Saying]) -> Iterator[str]:
    complaints = _complaints(rare)
    for requirement in REQUIREMENTS:
        yield f"### {requirement.id}"
        yield ""
        yield requirement.why
        yield ""
        for verdict in complaints[requirement.id]:
            remedy = f" → {code(verdict.remedy)}" if verdict.remedy else ""
            yield f"* {verdict.status}: {code(verdict.found)}{remedy}"
        yield ""


def _complaints(rare: Iterable[Saying]) -> dict[str, list[Verdict]]:
    """By requirement: one verdict for each remedy that there is."""
    names = sorted(path.stem for path in SNAPSHOTS.glob("*.json"))
    every = [verdict for name in names for verdict in _all_verdicts(name)] + [verdict_of(saying) for saying in rare]
    found: dict[str, dict[tuple[str, str], Verdict]] = {}
    for verdict in every:
        if verdict.status in ("fail", "warn"):
            found.setdefault(verdict.id, {}).setdefault((verdict.status, code(verdict.remedy)), verdict)
    return {requirement: list(verdicts.values()) for requirement, verdicts in found.items()}


def _all_verdicts(name: str) -> tuple[Verdict, ...]:
    return judge(read(SNAPSHOTS / f"{name}.json"), _settings({"snapshot": name}))


def code(text: str) -> str:
    """``text`` as a code span, whatever backticks it holds; of many packages only the first."""
    short = re.sub(r"(lib[^\s,]+)(,? (?:lib|python3-lib|tensorrt)[^\s,]*){2,}", r"\1 …", text)
    return f"`` {short} ``" if "`" in short else f"`{short}`"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
