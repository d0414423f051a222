"""Another way to decode on the same host: production's settings with another method and k."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from edgeops import layout
from edgeops.deployment import plan, serving, staging
from edgeops.deployment.declaring import recorded_state, with_service
from edgeops.deployment.serving import Serving
from edgeops.deployment.survey import survey
from edgeops.desired import Checkpoint, Declared, exec_start
from edgeops.engine import Session
from edgeops.engine.declared import KEY
from edgeops.errors import ConfigurationError, EdgeopsError
from edgeops.secret_files import read_secret
from edgeops.settings import Settings
from edgeops.trial.production import Production

_DROP_IN = """\
# Written by edgeops for the length of a measurement. It lies in /run: a reboot, or edgeops-trial.timer, takes it away.
[Service]
Restart=no
ExecStart=
ExecStart={command}
"""


@dataclass(frozen=True)
class Candidate:
    """What is tried. ``settings`` are production's but for method, draft and k."""

    declared: Declared

    @property
    def settings(self) -> Settings:
        return self.declared.settings

    @property
    def serving(self) -> Serving:
        assert self.declared.service is not None
        return serving.wanted(self.settings, self.declared.service)

    @property
    def setting(self) -> str:
        """In words: ``dspark with k=5``, or ``plain decoding``."""
        return self.settings.setting

    @property
    def drop_in(self) -> str:
        """Text of the drop-in that makes systemd start it."""
        assert self.declared.service is not None
        return _DROP_IN.format(command=exec_start(self.settings, self.declared.service.arguments))

    def session(self, session: Session) -> Session:
        """The same connection, to a host that has these settings."""
        return with_settings(session, self.settings)


def candidate(session: Session, production: Production, method: str, k: int) -> Candidate:
    """``method`` with ``k`` candidates, ``off`` without speculation. A draft that is not on the host is staged there.

    Raises EdgeopsError where model, draft and k do not fit, or the draft cannot be had.
    """
    settings = changed(production.declared.settings, method, k)
    if settings == production.declared.settings:
        return Candidate(production.declared)
    declared = replace(production.declared, settings=settings, service=None, checkpoints=())
    state = recorded_state(production.facts)
    there = {checkpoint.source: checkpoint for checkpoint in production.declared.checkpoints}
    session = with_settings(session, settings)
    checkpoints = tuple(
        there.get(wish.source) or _placed(session, declared, wish, state) for wish in staging.wishes(settings)
    )
    declared = replace(declared, checkpoints=checkpoints)
    found = survey(session, declared.release, checkpoints)
    return Candidate(with_service(declared, found))


def changed(settings: Settings, method: str, k: int) -> Settings:
    """Production's settings with another method and k. The draft that is set belongs to the method that is set."""
    new: dict[str, Any] = {"method": method}
    if method != "off":
        new["k"] = k
    if method not in ("off", settings.method) and settings.speculative:
        new |= {"draft_model": None, "draft_revision": None}
    try:
        return Settings.model_validate({**settings.model_dump(), **new})
    except ValidationError as error:
        raise ConfigurationError(f"{method} with k={k}: {error.errors()[0]['msg']}") from None


def with_settings(session: Session, settings: Settings) -> Session:
    """The same connection, to a host that has ``settings``."""
    return replace(session, host=replace(session.host, settings=settings))


def _placed(session: Session, declared: Declared, wish: staging.Wish, state: Any) -> Checkpoint:
    """A checkpoint that production does not use; downloaded where it is missing."""
    known = staging.pinned(wish, state)
    if not known.directory:
        known = _resolved(session, declared, wish)
    if known.revision is None or plan.is_staged(known, survey(session, declared.release, (known,))):
        return known
    token = read_secret(declared.settings.hf_token_file)
    session.deploy("model", **{KEY: replace(declared, checkpoints=(known,))}, edgeops_hf_token=token)
    return known


def _resolved(session: Session, declared: Declared, wish: staging.Wish) -> Checkpoint:
    """The one revision that is staged, else the hub's."""
    unknown = Checkpoint(wish.source, "", None)
    there = survey(session, declared.release, (unknown,))
    staged = there.revisions.get(layout.model_directory(wish.source, ""), ())
    if declared.settings.hf_offline or (len(staged) == 1 and wish.revision is None):
        return staging.offline(wish, there)
    token = read_secret(declared.settings.hf_token_file)
    try:
        return staging.resolved(session, wish, declared.release, token)
    except EdgeopsError as error:
        raise EdgeopsError(f"the draft {wish.source} is not on the host: {error.message}", error.remedy) from None
