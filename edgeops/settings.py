"""The settings of one host: what may be written in an inventory, with types, bounds and defaults (docs/settings.md).

Reading them from a file, with file and line of each value, is the inventory's business; these are the values.
"""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Method = Literal["dspark", "dflash", "mtp", "eagle3", "off"]

OneLine = Annotated[str, StringConstraints(min_length=1, pattern=r"^[^\x00-\x1f\x7f-\x9f]+$")]
"""Text that may reach a unit file or an environment file: no control characters, so no second line."""

DEFAULT_MODEL = "nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4"


class Settings(BaseModel):
    """One host's merged settings. Sizes are tokens, times seconds, memory GiB."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    edgellm_version: OneLine = "0.11.1"
    model: OneLine = DEFAULT_MODEL
    model_revision: OneLine | None = None
    method: Method = "dspark"
    draft_model: OneLine | None = None
    draft_revision: OneLine | None = None
    k: int = Field(default=3, ge=1, le=64)
    bind: OneLine = "127.0.0.1"
    port: int = Field(default=8000, ge=1, le=65535)
    served_name: OneLine | None = None
    api_key_file: Path | None = None
    max_input_len: int = Field(default=4096, ge=1)
    max_kv_cache_capacity: int = Field(default=8192, ge=1)
    max_queued_requests: int = Field(default=16, ge=0)
    tensorrt_version: OneLine | None = None
    memory_reserve_gib: float = Field(default=8, ge=0, allow_inf_nan=False)
    ready_timeout_s: int = Field(default=3600, ge=1)
    find_links: OneLine | None = None
    index_url: OneLine | None = None
    hf_offline: bool = False
    hf_token_file: Path | None = None
    extra_serve_args: tuple[OneLine, ...] = ()
    accept: tuple[OneLine, ...] = ()

    @property
    def speculative(self) -> bool:
        return self.method != "off"

    @property
    def setting(self) -> str:
        """How it decodes, in words: ``dspark with k=3``, or ``plain decoding``."""
        return f"{self.method} with k={self.k}" if self.speculative else "plain decoding"

    @property
    def model_is_local(self) -> bool:
        """A directory on the host, not a Hugging Face id."""
        return self.model.startswith("/")

    @property
    def name_served(self) -> str:
        """What clients call the model: ``served_name``, else the id, or the directory's name."""
        return self.served_name or (Path(self.model).name if self.model_is_local else self.model)

    @property
    def draft(self) -> str | None:
        """The draft checkpoint: as set, else the model's own for this method; None where the method needs none."""
        if self.method in ("off", "mtp"):
            return None
        return self.draft_model or f"{self.model.rstrip('/')}-{DRAFT_SUFFIX[self.method]}"

    @property
    def loopback(self) -> bool:
        """Whether the server is reachable from its own host only."""
        if self.bind == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.bind).is_loopback
        except ValueError:
            return False


DRAFT_SUFFIX = {"dspark": "DSpark", "dflash": "DFlash", "eagle3": "EAGLE3"}
"""How the vendor names the draft of a model: https://huggingface.co/nvidia, ``<model>-DSpark``."""
