"""Where edgeops keeps what on a host. These paths are promises: the README lists them."""

from __future__ import annotations

USER = "trtedge"
UNIT = "trtedge.service"

ROOT = "/opt/edgeops"
RELEASES = f"{ROOT}/releases"
CURRENT = f"{ROOT}/current"

UNIT_FILE = f"/etc/systemd/system/{UNIT}"
CONFIGURATION = "/etc/edgeops"
ENVIRONMENT_FILE = f"{CONFIGURATION}/trtedge.env"
KEY_FILE = f"{CONFIGURATION}/api_key"

HOME = f"/var/lib/{USER}"
MODELS = f"{HOME}/models"
CACHE = f"{HOME}/cache"

RECORDS = "/var/lib/edgeops"
STATE_FILE = f"{RECORDS}/state.json"
LOCK_FILE = f"{RECORDS}/lock"
AUDIT_FILE = f"{RECORDS}/audit.jsonl"
DEPLOYMENTS = f"{RECORDS}/deployments"
"""What each verified deployment ran from, so that rollback needs no network: one directory a deployment."""
PIP_CACHE = f"{RECORDS}/pip"
WHEELS = f"{RECORDS}/wheels"
"""Wheels that were sent from the control machine, of the release that was installed last."""
UNDO = f"{RECORDS}/undo"
"""What the switch replaced, kept until the new service is verified."""

TUNING_FILE = f"{RECORDS}/tuning.json"
"""What was chosen by measuring, and for which host it holds."""
TRIAL = "/run/edgeops-trial"
"""There while another setting than production's is tried out: the way back, and who tries."""
TRIAL_TIMER = "edgeops-trial.timer"
TRIAL_DROP_IN = f"/run/systemd/system/{UNIT}.d/90-edgeops-smoke.conf"


def release_directory(name: str) -> str:
    """A release's own directory: the venv, ``release.json`` written last, ``closure.json`` with the versions of its
    packages, and the constraints it was installed with."""
    return f"{RELEASES}/{name}"


def model_arrival(repository: str, revision: str) -> str:
    """Where it is received when it is sent. The login user writes there, so it is nowhere below the service's home."""
    return f"{RECORDS}/{repository.replace('/', '--')}--{revision}.incoming"


def model_directory(repository: str, revision: str) -> str:
    """Where a Hugging Face checkpoint is staged, one directory a revision."""
    return f"{MODELS}/{repository.replace('/', '--')}/{revision}"
