"""What may be done while the guard is held: serve one candidate after the other, each proven before it is measured."""

from __future__ import annotations

from dataclasses import dataclass, field

from edgeops.deployment import serving
from edgeops.deployment.context import StartFailed
from edgeops.deployment.phases import PhaseLog
from edgeops.engine import Session
from edgeops.errors import EdgeopsError
from edgeops.trial.candidate import Candidate
from edgeops.trial.on_host import ask
from edgeops.trial.production import Production

SWITCH_S = 900.0
"""A stop waits for requests that run, then come the checks before the start."""


class TrialLost(EdgeopsError):
    """The host put production back while we were still at work."""


@dataclass
class Trial:
    """``changed``: something else than production may be served now; ``touched``: it was, at some time.

    ``lost``: why the guard is gone, empty while it is held. ``restored``: how the host was left, in words. ``bundles``:
    engines that are built.
    """

    session: Session
    production: Production
    log: PhaseLog
    changed: bool = False
    touched: bool = False
    lost: str = ""
    restored: str = ""
    bundles: set[str] = field(default_factory=set)

    def serve(self, wanted: Candidate) -> Session:
        """Serve ``wanted``, proven, and return a session to a host with its settings. Raises StartFailed, TrialLost.

        The first start after an engine was built is slow in its own way (lazy CUDA graphs, pages read in), so it is
        not the one to be measured.
        """
        if self.changed or wanted.settings != self.production.declared.settings:
            self._launch(wanted)
            if self._built_an_engine():
                self._launch(wanted)
        return wanted.session(self.session)

    def check(self) -> None:
        """Raise TrialLost where what was measured last may have been production."""
        if self.lost:
            raise TrialLost(f"the host put its production setting back meanwhile: {self.lost}", "Run it again.")

    def _launch(self, wanted: Candidate) -> None:
        self.check()
        with self.log.phase("start") as notes:
            notes.say(f"starting the service with {wanted.setting}")
            self.changed = self.touched = True
            answer = ask(self.session, "launch", text=wanted.drop_in, timeout=SWITCH_S)
            if answer["event"] != "launched":
                raise StartFailed(f"the service did not start: {answer.get('error', '')}", "Read its journal.")
            serving.come_up(self.session, wanted.serving, notes)
        with self.log.phase("verify") as notes:
            serving.verify(self.session, wanted.serving, notes)
        self.check()

    def _built_an_engine(self) -> bool:
        now = set(ask(self.session, "look", cache=self.production.cache)["bundles"])
        new, self.bundles = now - self.bundles, self.bundles | now
        return bool(new)
