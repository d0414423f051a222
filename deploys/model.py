"""Checkpoints from Hugging Face, one directory a revision; a local directory on the host stays where it is."""

from pyinfra import host

from edgeops import layout
from edgeops.engine.declared import declared
from edgeops.engine.operations import download

for checkpoint in declared().checkpoints:
    if checkpoint.revision and not checkpoint.fingerprint:
        download(
            name=f"model {checkpoint.source} at {checkpoint.revision[:12]}",
            wanted=checkpoint,
            venv=declared().release.venv,
            token=host.data.get("edgeops_hf_token") or "",
            _sudo=True,
            _sudo_user=layout.USER,
            _timeout=24 * 3600,
        )
