"""Files that are fetched once, on the control machine, and sent to hosts that need them (``deploy --distribute``)."""

from __future__ import annotations

from edgeops.distribution.parcel import Parcel, parcel_of
from edgeops.distribution.sending import send
from edgeops.distribution.wheels import Platform, fetched, platform_of_host

__all__ = ["Parcel", "Platform", "fetched", "parcel_of", "platform_of_host", "send"]
