"""Models that are named by their Hugging Face id: asked about and fetched once, on this machine, for all hosts."""

from __future__ import annotations

import errno
import json
import re
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from edgeops.distribution.child import run_child
from edgeops.errors import EdgeopsError
from edgeops.locations import WORKSPACE
from edgeops.runs import Run

MODELS = WORKSPACE / "models"
ASKED = "hub.json"
"""In a run's directory: the commit of each ``source@revision`` that the hub was asked about."""
_PROGRAM = Path(__file__).with_name("hub_program.py")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_ID = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?", re.ASCII)
_T = TypeVar("_T")


@dataclass(frozen=True)
class Wanted:
    """``source`` is an id, ``revision`` a commit, tag or branch, empty for the newest. ``token`` is shown nowhere."""

    source: str
    revision: str = ""
    token: str = field(default="", repr=False)

    def __str__(self) -> str:
        return f"{self.source}@{self.revision or 'main'}"


def commit_of(wanted: Wanted, run: Run) -> str:
    """Which commit that is. Asked once a run, so that all its hosts get the same one, those after --resume too.

    Raises EdgeopsError with what the hub's library said.
    """

    def ask() -> str:
        known = _asked(run)
        if str(wanted) not in known:
            known[str(wanted)] = _commit(_told(wanted, "commit").get("commit"), wanted)
            run.write(ASKED, known)
        return _commit(known[str(wanted)], wanted)

    return _once(("ask", run.name, wanted), run.directory, ask)


def is_fetched(wanted: Wanted) -> bool:
    """Whether this machine has all files of ``wanted``, whose revision is a commit."""
    return _directory(wanted).is_dir()


def checkpoint_files(wanted: Wanted) -> Path:
    """The directory of this machine that has all files of ``wanted``, whose revision is a commit.

    Downloaded when it is not there yet; hosts that want the same one at the same time wait for one download.
    Raises EdgeopsError with what the hub's library said.
    """
    directory = _directory(wanted)

    def fetch() -> Path:
        if not directory.is_dir():
            _told(wanted, "download", directory=str(directory))
        return directory

    return _once(("fetch", wanted), directory, fetch)


def _directory(wanted: Wanted) -> Path:
    # The commit may come from a host's own record, and the name is anybody's: neither may lead elsewhere.
    commit = _commit(wanted.revision, wanted)
    if not _ID.fullmatch(wanted.source):
        raise EdgeopsError(f"{wanted.source!r} is no id of a model on Hugging Face", _NAME)
    return (MODELS / wanted.source.replace("/", "--") / commit).absolute()


def _commit(text: object, wanted: Wanted) -> str:
    if isinstance(text, str) and _COMMIT.fullmatch(text):
        return text
    raise EdgeopsError(f"{wanted}: {str(text)[:80]!r} is no commit", "Set model_revision or draft_revision to one.")


_locks: defaultdict[Path, threading.Lock] = defaultdict(threading.Lock)
_failed: dict[object, EdgeopsError] = {}


def _once(question: object, lock: Path, answer: Callable[[], _T]) -> _T:
    """One at a time; what failed has failed for all hosts of this process: they would each wait as long again."""
    with _locks[lock]:
        if question not in _failed:
            try:
                return answer()
            except EdgeopsError as error:
                _failed[question] = error
        failed = _failed[question]
    raise EdgeopsError(failed.message, failed.remedy)


def _asked(run: Run) -> dict[str, Any]:
    try:
        document = json.loads((run.directory / ASKED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


def _told(wanted: Wanted, verb: str, **more: str) -> Mapping[str, Any]:
    plan = {"verb": verb, "source": wanted.source, "revision": wanted.revision, "token": wanted.token, **more}
    ended = run_child([sys.executable, str(_PROGRAM)], json.dumps(plan) + "\n")
    try:
        answer = json.loads(ended.out.splitlines()[-1])
    except (IndexError, ValueError):
        said = (ended.err.strip().splitlines() or [f"it ended with {ended.rc}"])[-1]
        answer = {"error": said.replace(wanted.token, "(token)") if wanted.token else said}
    if not isinstance(answer, dict) or "error" in answer:
        raise trouble(wanted, answer if isinstance(answer, dict) else {})
    return answer


def trouble(wanted: Wanted, answer: Mapping[str, Any]) -> EdgeopsError:
    """The program's ``error`` as a sentence and what to do: by its number, or by the nearest of its ``kinds`` that is
    known."""
    said, remedy = str(answer.get("error") or "no answer"), _WAY
    if answer.get("errno") in (errno.ENOSPC, errno.EDQUOT):
        remedy = f"Make room for {MODELS.absolute()} here; the next run goes on with the files that are whole."
    elif known := [_KNOWN[kind] for kind in answer.get("kinds", ()) if kind in _KNOWN]:
        said, remedy = known[0][0] or said, known[0][1]
    return EdgeopsError(f"Hugging Face, asked from this machine for {wanted}: {said}", remedy)


_WAY = (
    "Check this machine's way to the hub (HTTPS_PROXY and HF_ENDPOINT count here) and run the same command again; "
    "or set `model` to a directory that has the files."
)
_NAME = "Check the name in `model` and `draft_model`; a private one needs hf_token_file."
_KNOWN = {
    "GatedRepoError": (
        "it is only for those whom its owner let in",
        "Accept the model's terms on its page, and set hf_token_file to a token of that account.",
    ),
    "RepositoryNotFoundError": ("there is no such model, or none that this token may see", _NAME),
    "RevisionNotFoundError": ("it has no such commit, tag or branch", "Correct model_revision or draft_revision."),
    "HFValidationError": ("", _NAME),
    "OfflineModeIsEnabled": ("HF_HUB_OFFLINE is set on this machine", "Unset it, or deploy without --distribute."),
    "PermissionError": ("", "Let your user write to .edgeops in this directory."),
}
"""By the classes of the library's errors: what it means, empty where the library says it well, and what to do."""
