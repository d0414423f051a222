"""Files that are fetched once, on the control machine, and sent to hosts that need them (``deploy --distribute``)."""

from __future__ import annotations

from edgeops.distribution.hub import Wanted, checkpoint_files, commit_of, is_fetched
from edgeops.distribution.parcel import Parcel, parcel_of
from edgeops.distribution.sending import Place, send
from edgeops.distribution.wheels import Platform, fetched, platform_of_host

__all__ = [
    "Parcel",
    "Place",
    "Platform",
    "Wanted",
    "checkpoint_files",
    "commit_of",
    "fetched",
    "is_fetched",
    "parcel_of",
    "platform_of_host",
    "send",
]
