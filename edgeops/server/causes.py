"""Why a server died, in words, from its own last lines. Sources: the vendor's error texts of 0.11.0 and field
reports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Cause:
    """What happened, what to do about it, and the server's own line that says so (empty where none does)."""

    sentence: str
    remedy: str
    evidence: str = ""

    def __str__(self) -> str:
        return f"{self.sentence}: {self.evidence}" if self.evidence else self.sentence


_KNOWN: tuple[tuple[str, Cause], ...] = (
    (
        r"MemAvailable is \d+ kB, \d+ kB are needed",
        Cause(
            "the host has too little memory for it", "Stop other users of the memory, or lower `memory_reserve_gib`."
        ),
    ),
    (
        r"no GPU device node after",
        Cause(
            "the GPU's device nodes are missing", "Look with `nvidia-smi` on the host; a reboot may bring them back."
        ),
    ),
    (
        r"address already in use|Errno 98",
        Cause("its port is taken by another process", "Free the port, or set another `port` in the inventory."),
    ),
    (
        r"must be within the compiled proposal capacity",
        Cause("k is larger than the draft's block", "Set a smaller `k`."),
    ),
    (
        r"TensorRT prerequisite error|No module named 'tensorrt'",
        Cause("it could not load TensorRT", "Run `edgeops check`: it says which part of TensorRT is missing."),
    ),
    (
        r"Cannot identify a supported platform|Expected one exact TensorRT Edge-LLM native payload",
        Cause("the wheel has no payload for this machine", "Run `edgeops check`: it says which fact does not match."),
    ),
    (
        r"out of memory|NV_ERR_NO_MEMORY|std::bad_alloc|Cannot allocate memory|oom-kill",
        Cause("it ran out of memory", "Stop other users of the memory, or lower `max_kv_cache_capacity`."),
    ),
    (
        r"Version tag does not match|deserializ",
        Cause(
            "it could not load the engine",
            "Remove this release's directory below /var/lib/trtedge/cache, so that it is built anew.",
        ),
    ),
    (r"No space left on device", Cause("the disk is full", "Free space below /var/lib/trtedge.")),
    (
        r"LocalEntryNotFoundError|RepositoryNotFound|GatedRepoError|401 Client Error",
        Cause("it could not get the model", "Stage the model first, or set `hf_token_file`."),
    ),
    (r"invalid server configuration", Cause("it refused its own flags", "Check `extra_serve_args`, `k` and `method`.")),
    (
        r"PermissionError|Permission denied",
        Cause("the service user may not read or write a file", "Check the owner of the path in the log."),
    ),
)

_EXITS = {"2": "it refused its command line (exit 2)", "3": "its port was taken (exit 3)"}


def likely_cause(log: Sequence[str], exit_status: str = "") -> Cause:
    """The cause that the last matching line names, else the last line that looks like an error, else the exit code."""
    for line in reversed(log):
        for pattern, cause in _KNOWN:
            if re.search(pattern, line, re.IGNORECASE):
                return replace(cause, evidence=line.strip())
    if exit_status in _EXITS:
        return Cause(_EXITS[exit_status], "Read the log lines below.")
    last = next((line for line in reversed(log) if re.search(r"error|exception|failed", line, re.IGNORECASE)), "")
    sentence = "its last error was" if last else f"it ended with exit status {exit_status or 'unknown'}"
    return Cause(sentence, "Read the log lines below, or `journalctl -u trtedge` on the host.", last.strip())
