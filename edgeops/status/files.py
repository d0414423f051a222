"""Drift of files: unit, drop-ins, environment file, API key, and a switch that was cut off."""

from __future__ import annotations

from collections.abc import Iterator

from edgeops import layout
from edgeops.quoting import shell
from edgeops.status.drift import Drift, Remedies, lines_apart
from edgeops.status.seen import Seen


def unit(seen: Seen) -> Iterator[Drift]:
    """The unit against what the inventory declares; ``settings`` where it is as deployed and the inventory moved."""
    service, actual, verified = seen.declared and seen.declared.service, seen.found.unit, seen.running.verified_unit
    wanted = service.unit if service else verified
    remedy = Remedies(seen.host.name).deploy
    if actual is None:
        yield Drift("unit", layout.UNIT_FILE, "no such file", remedy)
    elif wanted is not None and actual != wanted:
        what = "settings" if actual == verified else "unit"
        keep = "" if what == "settings" else "   # an edit worth keeping belongs into a drop-in"
        yield Drift(what, *lines_apart(wanted, actual), remedy + keep)


def drop_ins(seen: Seen) -> Iterator[Drift]:
    """The administrator's own files, against those that the service was verified with."""
    recorded, remedies = seen.state.get("drop_ins"), Remedies(seen.host.name)
    known = recorded if isinstance(recorded, dict) else {}
    digests = seen.found.drop_in_digests
    for path, text in seen.found.drop_ins.items():
        if known.get(path) != digests[path]:
            declared = "as verified, with another content" if path in known else "none"
            _, content = lines_apart("", text)
            drop = remedies.there(f"sudo rm {shell(path)}")
            keep_or_not = f"{remedies.deploy}   # verifies with it, and keeps it; to be rid of it, first {drop}"
            yield Drift(f"drop-in {path}", declared, content, keep_or_not)
    for path in known:
        if path not in digests:
            yield Drift(f"drop-in {path}", "there, as verified", "gone", remedies.deploy)


def environment(seen: Seen) -> Iterator[Drift]:
    """The environment file."""
    service, actual = seen.declared and seen.declared.service, seen.found.environment
    if service and actual != service.environment:
        declared, there = lines_apart(service.environment, actual or "")
        yield Drift("environment", declared, there if actual is not None else "no file", _deploy(seen))


def key(seen: Seen) -> Iterator[Drift]:
    """The API key, by its digest: neither value is ever shown."""
    actual = seen.found.key_sha256
    if seen.key_sha256 is not None and actual != seen.key_sha256:
        yield Drift("API key", "the one in api_key_file", "another one" if actual else "none", _deploy(seen))


def switch(seen: Seen) -> Iterator[Drift]:
    """A switch that was neither recorded nor undone, and that nobody is at work on."""
    if seen.found.kept is not None and seen.holder is None:
        yield Drift("switch", "recorded or undone", "cut off in the middle", _deploy(seen))


def _deploy(seen: Seen) -> str:
    return Remedies(seen.host.name).deploy
