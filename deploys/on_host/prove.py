"""Runs in a release's venv, as the service user: is everything of it there, do TensorRT's bindings import, and does the
wheel have a payload for this machine?

The last two are the questions whose answer a tutorial's reader learns last. Loads libcuda and TensorRT, no engine and
no model. The plan names the file with the release's packages. Prints one JSON object; exits 0 whatever the answer.
"""

import json
import os
import sys
import traceback
from importlib import metadata


class NotWhole(Exception):
    """Files that pip installed are gone, or have another size."""


def refuse_half(packages):
    """By the list that pip kept of each package's files; what it does not know the size of has to be there."""
    with open(packages, encoding="utf-8") as file:
        names = sorted(json.load(file))
    wrong = [str(file) for name in names for file in metadata.distribution(name).files or () if is_wrong(file)]
    if wrong:
        raise NotWhole(", ".join(wrong[:3]) + (f" and {len(wrong) - 3} more" if len(wrong) > 3 else ""))


def is_wrong(file):
    if file.suffix == ".pyc":  # Python makes them anew as it likes
        return False
    try:
        size = os.stat(str(file.locate())).st_size
    except OSError:
        return True
    return file.size is not None and size != file.size


def answer(plan):
    """What was found, or ``error`` and the step at which it happened."""
    found = {"python": sys.version.split()[0]}
    step = "find all its files"
    try:
        refuse_half(plan["packages"])
        step = "import tensorrt"
        import tensorrt

        found["tensorrt"] = str(tensorrt.__version__)
        step = "select the native payload"
        from tensorrt_edgellm._native.load import resolve_payload

        found["payload"] = str(resolve_payload().variant_id)
    except BaseException as error:  # noqa: BLE001  the vendor's code may even raise SystemExit
        found["step"] = step
        found["error"] = traceback.format_exception_only(type(error), error)[-1].strip()
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(dict(answer(globals()["PLAN"]), event="proof")) + "\n")
