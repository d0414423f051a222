"""Runs on this machine, in a process of its own: asks the model hub, and downloads from it.

Of its own, since the library's transfers are threads and native code that would keep every host waiting inside ours,
and since it is slow to import. The plan comes as one line of JSON on standard input, the token in it; one line of
JSON is the answer.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def commit(plan: Mapping[str, str]) -> dict[str, Any]:
    """Which commit ``revision`` of ``source`` is now."""
    from huggingface_hub import HfApi

    info = HfApi(token=plan["token"] or None).model_info(plan["source"], revision=plan["revision"] or None)
    return {"commit": info.sha}


def download(plan: Mapping[str, str]) -> dict[str, Any]:
    """All files of ``source`` at the commit ``revision`` into ``directory``, which is there only once it is whole.

    What an earlier download left is gone on with, file by file. Others that want the same wait for it.
    """
    from huggingface_hub import snapshot_download

    directory = Path(plan["directory"])
    draft = directory.with_name(f"{directory.name}.new")
    draft.mkdir(parents=True, exist_ok=True)
    with directory.with_name(f"{directory.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not directory.is_dir():
            # Each download gives its halves new names, so those of a killed one are never gone on with.
            for half in draft.glob(".cache/huggingface/**/*.incomplete"):
                half.unlink()
            snapshot_download(
                plan["source"], revision=plan["revision"], local_dir=draft, token=plan["token"] or None, max_workers=4
            )
            shutil.rmtree(draft / ".cache", ignore_errors=True)
            draft.rename(directory)
        elif draft.is_dir():  # of one who was through while we waited
            shutil.rmtree(draft)
    return {"directory": str(directory)}


VERBS: dict[str, Callable[[Mapping[str, str]], dict[str, Any]]] = {"commit": commit, "download": download}


def answer(plan: Mapping[str, str]) -> dict[str, Any]:
    """What the verb says, or ``error``: what was said, without the token, and the error's classes, nearest first."""
    try:
        return VERBS[plan["verb"]](plan)
    except Exception as error:  # noqa: BLE001  whatever the hub's library says goes to the operator
        said = " ".join(str(error).split())[:300] or type(error).__name__
        said = said.replace(plan["token"], "(token)") if plan["token"] else said
        kinds = [kind.__name__ for kind in type(error).__mro__]
        return {"error": said, "kinds": kinds, "errno": getattr(error, "errno", None)}


if __name__ == "__main__":
    # The library reads them when it is imported: nobody is told more than what is asked for, and nobody sees a bar.
    os.environ.update(HF_HUB_DISABLE_TELEMETRY="1", HF_HUB_DISABLE_PROGRESS_BARS="1")
    given = json.loads(sys.stdin.readline())
    sys.stdout.write(json.dumps(answer(given)) + "\n")
