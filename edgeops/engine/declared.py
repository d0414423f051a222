"""What a deploy file is to bring about on the host it runs for: handed over by the workflow, as host data."""

from __future__ import annotations

from pyinfra import host

from edgeops.desired import Declared, Service
from edgeops.errors import ConfigurationError

KEY = "edgeops_declared"


def declared() -> Declared:
    """The current host's. Raises ConfigurationError where nobody declared anything."""
    found = host.data.get(KEY)
    if not isinstance(found, Declared):
        raise ConfigurationError(f"{host.name}: no edgeops_declared in the host's data")
    return found


def declared_service() -> Service:
    """The current host's service, once its model is staged."""
    service = declared().service
    if service is None:
        raise ConfigurationError(f"{host.name}: the service is not known before the model is staged")
    return service
