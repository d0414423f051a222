"""Runs in a release's venv, as the service user: which commit is a Hugging Face revision now? Prints one JSON
object."""

import json
import sys


def revision(plan):
    """The commit, or the error's last line. The token arrives in the plan, over standard input."""
    try:
        from huggingface_hub import HfApi

        info = HfApi(token=plan["token"] or None).model_info(plan["source"], revision=plan["revision"])
    except Exception as error:  # noqa: BLE001  whatever the hub's library says goes to the operator
        return {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
    return {"revision": info.sha}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(revision(globals()["PLAN"])) + "\n")
