"""What of a host can safely be put right: a pure function of its verdicts and facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from edgeops.errors import RequirementError
from edgeops.quoting import shell
from edgeops.requirements import Case, Verdict
from edgeops.requirements.tensorrt_packages import Pins, loose_names, pins
from edgeops.requirements.upkeep import GROUPS

_TENSORRT = ("tensorrt.python", "tensorrt.version", "tensorrt.consistent")


@dataclass(frozen=True)
class Mending:
    """``packages`` are words for apt-get install, ``ids`` the requirements that are mended by all this."""

    packages: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The packages without their versions."""
        return tuple(word.partition("=")[0] for word in self.packages)

    def __add__(self, other: Mending) -> Mending:
        return Mending(
            self.packages + other.packages,
            self.holds + other.holds,
            self.groups + other.groups,
            self.ids + other.ids,
        )


def mending(case: Case, verdicts: Sequence[Verdict]) -> Mending:
    """What ``edgeops prepare`` does for a host. What its ``accept`` allows is left as it is."""
    wrong = {v.id: v for v in verdicts if v.status in ("fail", "warn") and v.id not in case.settings.accept}
    return _groups(case, wrong) + _venv(case, wrong) + _tensorrt(case, wrong)


def refuse_held(case: Case, mended: Mending) -> None:
    """Raise RequirementError where a package that would change is on hold: somebody wants it as it is."""
    wanted, there, loose = pins(case), _versions(case), loose_names(case)
    if wanted is None or wanted.words[0] not in mended.packages:
        return
    held = [name for name in _other_versions(case, wanted) if name in there and name not in loose]
    if held:
        what = f"{', '.join(held[:3])}{' and others' if len(held) > 3 else ''}"
        exact = there[held[0]].rpartition("-")[0]
        raise RequirementError(
            f"on hold at {there[held[0]]}: {what}. {wanted.version} is wanted, but somebody wants these kept",
            f'set tensorrt_version: "{exact}", or give the hold up: sudo apt-mark unhold {shell(*held)}',
        )


def left(verdicts: Sequence[Verdict], mended: Mending) -> tuple[Verdict, ...]:
    """Failures and warnings that ``mended`` does not put right, nor what only follows from those that it does."""
    return tuple(v for v in verdicts if v.status in ("fail", "warn") and not _will_go(v, mended))


def _will_go(verdict: Verdict, mended: Mending) -> bool:
    if verdict.id in mended.ids:
        return True
    if not verdict.remedy.startswith("see "):
        return False
    return set(verdict.remedy.removeprefix("see ").split(", ")) <= set(mended.ids)


def _groups(case: Case, wrong: Mapping[str, Verdict]) -> Mending:
    if "host.groups" not in wrong or case.facts.groups is None:
        return Mending()
    missing = tuple(name for name in GROUPS if name not in case.facts.groups)
    return Mending(groups=missing, ids=("host.groups",))


def _venv(case: Case, wrong: Mapping[str, Verdict]) -> Mending:
    python = case.facts.python
    if "host.python" not in wrong or python is None or python.minor not in case.release.pythons:
        return Mending()
    return Mending(packages=("python3-venv",), ids=("host.python",))


def _tensorrt(case: Case, wrong: Mapping[str, Verdict]) -> Mending:
    troubles = tuple(identifier for identifier in _TENSORRT if identifier in wrong)
    wanted = pins(case)
    if troubles and wanted and _is_mendable(case) and _other_versions(case, wanted):
        return Mending(wanted.words, wanted.names, ids=(*troubles, "tensorrt.held"))
    if "tensorrt.held" in wrong and not any(wrong[trouble].status == "fail" for trouble in troubles):
        return Mending(holds=loose_names(case), ids=("tensorrt.held",))
    return Mending()


def _is_mendable(case: Case) -> bool:
    """dpkg answered, and nothing is half installed: that is for ``dpkg --configure -a``."""
    packages = case.facts.tensorrt_packages
    return packages is not None and not any(package.broken for package in packages)


def _versions(case: Case) -> dict[str, str]:
    return {package.name: package.version for package in case.facts.tensorrt_packages or () if package.installed}


def _other_versions(case: Case, wanted: Pins) -> list[str]:
    """Packages that are not there, or not at the wanted version."""
    there = _versions(case)
    return [name for name in wanted.names if not wanted.fits(there.get(name))]
