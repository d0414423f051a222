"""Runs in a release's venv: is everything that the pinned requirement needs really there, in versions that satisfy it?

``pip check`` cannot answer: it judges every distribution of the system too, and fails before anything is installed.
This walks Requires-Dist from the one requirement, extras included. Prints what is wrong and exits 1, else the
closure's size; a second argument names the file that is to keep the versions found.
"""

import json
import sys
from importlib import metadata

from pip._vendor.packaging.requirements import InvalidRequirement, Requirement
from pip._vendor.packaging.utils import canonicalize_name


def needs(distribution, extras):
    """Requirements of ``distribution`` that apply here, with ``extras`` switched on."""
    for text in distribution.requires or ():
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        if requirement.marker is None or any(
            requirement.marker.evaluate({"extra": extra}) for extra in extras or ("",)
        ):
            yield requirement


def problem(requirement):
    """What is wrong with this one requirement, or None."""
    try:
        version = metadata.version(requirement.name)
    except metadata.PackageNotFoundError:
        return f"{requirement} is not installed"
    if not requirement.specifier.contains(version, prereleases=True):
        return f"{requirement} is wanted, {version} is installed"
    return None


def unknown_extras(requirement):
    known = {canonicalize_name(extra) for extra in metadata.metadata(requirement.name).get_all("Provides-Extra") or ()}
    return [extra for extra in requirement.extras if canonicalize_name(extra) not in known]


def walk(root):
    """(problems, versions of all distributions by name)."""
    problems, seen, queue = [], set(), [root]
    while queue:
        requirement = queue.pop()
        key = (canonicalize_name(requirement.name), frozenset(requirement.extras))
        if key in seen:
            continue
        seen.add(key)
        wrong = problem(requirement)
        if wrong:
            problems.append(wrong)
            continue
        problems += [f"{requirement.name} has no extra {extra!r}" for extra in unknown_extras(requirement)]
        queue += needs(metadata.distribution(requirement.name), requirement.extras)
    return problems, {name: version(name) for name, _ in seen}


def version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    found, versions = walk(Requirement(sys.argv[1]))
    for line in found:
        sys.stderr.write(line + "\n")
    if len(sys.argv) > 2 and not found:
        with open(sys.argv[2], "w", encoding="utf-8") as file:
            json.dump(versions, file, indent=2, sort_keys=True)
    sys.stdout.write(f"{len(versions)} distributions satisfy {sys.argv[1]}\n")
    raise SystemExit(1 if found else 0)
