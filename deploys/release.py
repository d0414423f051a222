"""The pinned release beside the ones that are there; the running one is not touched."""

from edgeops.engine.declared import declared
from edgeops.engine.operations import release

release(name=f"release {declared().release.name}", wanted=declared().release, _sudo=True, _timeout=3600)
