"""Runs in a release's venv, as the service user: do TensorRT's bindings import, and does the wheel have a payload for
this machine?

These are the two questions whose answer a tutorial's reader learns last. Loads libcuda and TensorRT, no engine and no
model. Prints one JSON object; exits 0 whatever the answer.
"""

import json
import sys
import traceback


def answer():
    """What was found, or ``error`` and the step at which it happened."""
    found = {"python": sys.version.split()[0]}
    step = "import tensorrt"
    try:
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
    sys.stdout.write(json.dumps(dict(answer(), event="proof")) + "\n")
