"""What a host's apt sources have, and what an installation from them would do; asked without changing anything."""

from __future__ import annotations

from dataclasses import dataclass, replace

from edgeops.engine import OperationFailed, Session
from edgeops.errors import EdgeopsError, RequirementError
from edgeops.preparation.apt import (
    UPDATE_COMMAND,
    Simulation,
    fitted,
    madison_command,
    missing_words,
    offers,
    simulation,
    simulation_command,
    untouchable,
)
from edgeops.preparation.causes import PackagesLocked, apt_error
from edgeops.preparation.mending import Mending
from edgeops.releases import TENSORRT_DOWNLOADS
from edgeops.snapshot import Answer


@dataclass(frozen=True)
class Missing:
    """What no source has (``words``), and the versions of the first of them that there are."""

    words: tuple[str, ...]
    known: tuple[str, ...]

    @property
    def sentence(self) -> str:
        name, _, version = self.words[0].partition("=")
        others = f" (and {len(self.words) - 1} more)" if len(self.words) > 1 else ""
        what = f"{name} {version}".rstrip()
        has = f"; they have {', '.join(self.known[:6])}" if self.known else ""
        return f"the host's apt sources do not have {what}{others}{has}"

    @property
    def remedy(self) -> str:
        if not self.words[0].partition("=")[2]:
            return f"enable the distribution's own apt sources: {self.words[0]} is one of its packages"
        add = f"add NVIDIA's apt repository, or a local one, that has it: {TENSORRT_DOWNLOADS}"
        return f"set tensorrt_version to one that is there, or {add}" if self.known else add


def ask_sources(session: Session, mended: Mending) -> tuple[Mending, Missing | None]:
    """``mended`` with exact versions, and what of it the host's package lists do not have. Raises EdgeopsError."""
    answer = session.run(madison_command(mended.names))
    if answer.rc == 127:
        raise EdgeopsError("there is no apt on the host", "edgeops prepares Ubuntu hosts only")
    offered = offers(answer.out)
    exact = replace(mended, packages=fitted(mended.packages, offered))
    missing = missing_words(exact.packages, offered)
    known = offered.get(missing[0].partition("=")[0], ()) if missing else ()
    return exact, Missing(missing, known) if missing else None


def simulate(session: Session, mended: Mending) -> Simulation:
    """What would be installed. Raises RequirementError where more than that would be done, EdgeopsError where apt
    cannot."""
    # As the login user: root would rewrite apt's cache, and looking changes nothing.
    answer = session.run(simulation_command(mended.packages), timeout=120)
    planned = simulation(answer.out)
    forbidden = untouchable(planned)
    if forbidden:
        more = f" and {len(forbidden) - 6} more" if len(forbidden) > 6 else ""
        raise RequirementError(
            f"apt would also {', '.join(forbidden[:6])}{more}: edgeops removes nothing and leaves driver, kernel, "
            "firmware and CUDA alone",
            f"look at it on the host: {simulation_command(mended.packages)}",
        )
    if answer.rc:
        error = apt_error("apt cannot install this", answer)
        raise RequirementError(error.message, error.remedy)
    return planned


def refresh(session: Session) -> EdgeopsError | None:
    """``apt-get update``. Returns what went wrong: one source that is down need not be the one that matters. Raises
    PackagesLocked where another program is at it."""
    answer = session.run(UPDATE_COMMAND, sudo=True, timeout=600)
    if not answer.rc:
        return None
    trouble = apt_error("the package lists could not be refreshed", answer)
    if isinstance(trouble, PackagesLocked):
        raise trouble
    return trouble


def install(session: Session, mended: Mending) -> None:
    """Do it. Raises EdgeopsError, PackagesLocked before anything was installed."""
    data = {
        "edgeops_groups": mended.groups,
        "edgeops_packages": mended.packages,
        "edgeops_holds": mended.holds,
    }
    try:
        session.deploy("prepare", **data)
    except OperationFailed as failure:
        raise apt_error("the installation failed", Answer(1, "", failure.log or failure.message)) from None
