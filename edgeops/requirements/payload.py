"""Which native payload the wheel will select on a host: the vendor's own selection, predicted from facts.

The wheel picks exactly one row of its manifest by six facts and stops with "found 0" otherwise, after the download and
the build. Source: ``tensorrt_edgellm/_native/detect.py`` and ``select.py`` of the wheel.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from edgeops.releases import Payload
from edgeops.requirements.case import Case
from edgeops.requirements.platforms import gb10_product


@dataclass(frozen=True)
class Prediction:
    """The payload, or why there is none. ``unknown``: a fact is missing, so that nothing can be said yet."""

    payload: Payload | None = None
    unknown: bool = False
    reason: str = ""
    remedy: str = ""


@dataclass(frozen=True)
class Marker:
    """What the selector goes by: ``source`` and ``value`` as in the manifest, and the file it read it from."""

    source: str
    value: str
    file: str


def prediction(case: Case) -> Prediction:
    """What the vendor's selector would do with the facts of ``case``."""
    marker = selected_marker(case)
    if marker is None:
        return _no_marker(case)
    if case.spark and marker.source == "l4t":
        return _misleading(case, marker)
    rows = [row for row in case.release.payloads if _marked(row, marker)]
    if not rows:
        return _misleading(case, marker)
    return _unread(case) or _mismatch(case, rows)


def selected_marker(case: Case) -> Marker | None:
    """The first release marker that the selector finds; None where it recognises nothing."""
    model = _model(case)
    if model and "igx thor" in model.value.casefold():
        return model
    answer = case.snapshot.answer("nv_tegra_release")
    if answer.rc == 0 and answer.out.strip():
        value = case.facts.l4t.release if case.facts.l4t else "unreadable"
        return Marker("l4t", value, "/etc/nv_tegra_release")
    return model


def _model(case: Case) -> Marker | None:
    if case.facts.device_model:
        return Marker("device-model", case.facts.device_model, "/proc/device-tree/model")
    name = re.sub(r"[_-]+", " ", case.facts.product_name or "")
    if any(part in name.casefold() for part in case.release.model_markers):
        return Marker("device-model", name, "/sys/class/dmi/id/product_name")
    return None


def _marked(row: Payload, marker: Marker) -> bool:
    if row.source != marker.source:
        return False
    if row.source == "device-model":
        return any(value in marker.value.casefold() for value in row.values)
    return marker.value in row.values


def _no_marker(case: Case) -> Prediction:
    name = case.facts.product_name
    if name is None and not (case.answered("product_name") and case.answered("device_tree_model")):
        return Prediction(unknown=True, reason=case.unread("product_name"))
    box = gb10_product(name)
    if box:
        return Prediction(
            reason=f"{case.release.requirement} does not recognise the product name {name!r} ({box})",
            remedy="no setting changes this; if the vendor says that this version knows it, accept: [gpu.payload]",
        )
    return Prediction(
        reason=f"the wheel recognises no platform here (product name {name!r})", remedy="choose another host"
    )


def _misleading(case: Case, marker: Marker) -> Prediction:
    if case.spark and marker.source == "l4t":
        return Prediction(
            reason=f"{marker.file} makes the wheel take this {case.platform.name} for a Jetson with L4T {marker.value}",
            remedy=f"sudo mv {marker.file} {marker.file}.unused",
        )
    known = sorted({value for row in case.release.payloads if row.source == marker.source for value in row.values})
    return Prediction(
        reason=f"no payload for {marker.value} ({marker.file}); there are some for {', '.join(known)}",
        remedy="install a system that the wheel has a payload for",
    )


def _unread(case: Case) -> Prediction | None:
    """A fact that is not there yet and belongs to another requirement, which says what to do."""
    waiting = (
        ("cuda.runtime", not case.facts.cudart),
        ("tensorrt.python", case.facts.tensorrt is None),
        ("gpu.capability", case.facts.capability is None),
        ("host.python", case.facts.python is None or case.facts.python.minor is None),
        ("host.arch", case.facts.kernel is None or case.facts.kernel.machine is None),
    )
    for requirement, missing in waiting:
        if missing:
            return Prediction(unknown=True, reason=f"cannot be said before {requirement} is known to be right")
    return None


def _mismatch(case: Case, rows: list[Payload]) -> Prediction:
    fitting = [row for row in rows if not _differences(case, row)]
    if fitting:
        return Prediction(payload=fitting[0])
    closest = min(rows, key=lambda row: len(_differences(case, row)))
    differences = _differences(case, closest)
    return Prediction(
        reason=f"{closest.id} needs {'; '.join(wanted for wanted, _ in differences)}",
        remedy=f"see {', '.join(dict.fromkeys(requirement for _, requirement in differences))}",
    )


def _differences(case: Case, row: Payload) -> list[tuple[str, str]]:
    """What of the host does not match ``row``, with the requirement that it belongs to."""
    facts, release = case.facts, case.release
    major = (facts.tensorrt or "").split(".")[0]
    minor = facts.python.minor if facts.python else None
    machine = facts.kernel.machine if facts.kernel else None
    checks = (
        (facts.cudart == row.cudart, f"{row.cudart}, and {facts.cudart} comes first", "cuda.runtime"),
        (major == str(row.tensorrt_major), f"TensorRT {row.tensorrt_major}, not {facts.tensorrt}", "tensorrt.version"),
        (facts.capability == row.sm, f"compute capability {row.sm}, not {facts.capability}", "gpu.capability"),
        (minor in release.pythons, f"Python {', '.join(release.pythons)}, not {minor}", "host.python"),
        (machine in (release.arch, "arm64"), f"{release.arch}, not {machine}", "host.arch"),
    )
    return [(wanted, requirement) for same, wanted, requirement in checks if not same]
