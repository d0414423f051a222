"""What a host should hold and run: pure functions of its settings and a few facts about the machine."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from edgeops import layout
from edgeops.locations import TEMPLATES
from edgeops.quoting import shell, unit_word, unit_words
from edgeops.releases import EdgellmRelease, edgellm_release
from edgeops.settings import Settings

BUILD_MEMORY_BYTES = 2 * 1024**3
"""Free memory the vendor asks for beside the model: its installation guide, "Memory"."""
_FAILED_STARTS = 4
_RESTART_PAUSE_S = 60


@dataclass(frozen=True)
class Machine:
    """The facts about a host that decide what is installed there: ``python`` ("3.12"), ``tensorrt``, ``sm`` ("121")."""

    python: str
    tensorrt: str
    sm: str


@dataclass(frozen=True)
class Release:
    """One pinned install in its own directory on the host."""

    name: str
    requirement: str
    python: str
    constraints: str = field(default="", repr=False)
    pip_arguments: tuple[str, ...] = ()

    @property
    def directory(self) -> str:
        return layout.release_directory(self.name)

    @property
    def venv(self) -> str:
        return f"{self.directory}/venv"

    @property
    def marker(self) -> dict[str, str]:
        """Content of ``release.json``, which is written last: a directory without it is unfinished."""
        return {"name": self.name, "requirement": self.requirement, "python": self.python}


@dataclass(frozen=True)
class Checkpoint:
    """Model files on the host. ``source`` is a Hugging Face id or the directory itself; ``revision`` None for the
    latter.

    ``fingerprint`` covers config.json's bytes and every file's name, size and a sample of its content (all of a small
    file); ``size`` is bytes.
    """

    source: str
    directory: str
    revision: str | None = None
    fingerprint: str = ""
    size: int = 0

    @property
    def marker(self) -> dict[str, str | None]:
        """Content of ``.edgeops.json``, which is written last: a download or transfer without it is unfinished."""
        return {"source": self.source, "revision": self.revision}


@dataclass(frozen=True)
class Service:
    """The service as files and words. ``method`` is what ``/health`` must say, ``none`` for plain decoding."""

    unit: str
    environment: str
    arguments: tuple[str, ...]
    name: str
    method: str
    identity: str


@dataclass(frozen=True)
class Declared:
    """Everything that the deploy files need to know about one host. ``service`` is known once the model is staged.

    ``key_sha256``: of the API key that the host should hold, None for no key.
    """

    settings: Settings
    machine: Machine
    release: Release
    checkpoints: tuple[Checkpoint, ...] = ()
    service: Service | None = None
    key_sha256: str | None = None


def release(settings: Settings, machine: Machine, constraints: str) -> Release:
    """The release these settings ask for. Its name changes with anything that changes what pip installs."""
    wanted = edgellm_release(settings.edgellm_version)
    content = [wanted.requirement, machine.python, constraints]
    name = f"{wanted.version}-{_digest(content)[:8]}"
    return Release(name, wanted.requirement, machine.python, constraints, _pip_arguments(settings))


def service(
    settings: Settings, machine: Machine, pinned: Release, base: Checkpoint, draft: Checkpoint | None
) -> Service:
    """Unit, environment file and what the running server must say of itself."""
    arguments = serve_arguments(settings, machine, base, draft)
    unit = _render("trtedge.service.j2", _unit_values(settings, machine, arguments, (base, draft)))
    environment = _render("trtedge.env.j2", {"user": layout.USER})
    checkpoints = [asdict(checkpoint) for checkpoint in (base, draft) if checkpoint]
    identity = _digest([pinned.name, unit, environment, checkpoints])
    return Service(unit, environment, arguments, settings.name_served, expected_method(settings), identity)


def expected_method(settings: Settings) -> str:
    """``/health``'s word for the method."""
    return settings.method if settings.speculative else "none"


def serve_arguments(
    settings: Settings, machine: Machine, base: Checkpoint, draft: Checkpoint | None
) -> tuple[str, ...]:
    """The command line of the server, word by word; flags of https://nvidia.github.io/TensorRT-Edge-LLM/ (cli)."""
    wanted = edgellm_release(settings.edgellm_version)
    flags = {
        "--served-model-name": settings.name_served,
        "--host": settings.bind,
        "--port": str(settings.port),
        "--cache-dir": cache_directory(wanted, machine),
        "--max-input-len": str(settings.max_input_len),
        "--max-kv-cache-capacity": str(settings.max_kv_cache_capacity),
        "--max-queued-requests": str(settings.max_queued_requests),
    }
    if settings.speculative:
        flags["--speculative-config"] = speculative_config(settings, draft)
    script, *verb = wanted.command
    words = [f"{layout.CURRENT}/venv/bin/{script}", *verb, base.directory]
    return (*words, *(word for flag in flags.items() for word in flag), *settings.extra_serve_args)


def exec_start(settings: Settings, arguments: tuple[str, ...]) -> str:
    """The value of ``ExecStart=``. With an API key a launcher hands it over, so that no process list shows it."""
    keyed = settings.api_key_file is not None
    launcher = (f"{layout.CURRENT}/venv/bin/python", "-I", f"{layout.CURRENT}/serve_with_key.py") if keyed else ()
    return unit_words((*launcher, *arguments))


def speculative_config(settings: Settings, draft: Checkpoint | None) -> str:
    """The JSON text of ``--speculative-config``: exactly the keys ``method``, ``model`` (all but mtp) and the count."""
    content: dict[str, Any] = {"method": settings.method}
    if draft is not None:
        content["model"] = draft.directory
    content["num_speculative_tokens"] = settings.k
    return json.dumps(content, separators=(",", ":"))


def cache_directory(wanted: EdgellmRelease, machine: Machine) -> str:
    """Engines are not portable across versions, TensorRT or GPUs, and the vendor's cache key holds none of the
    three."""
    return f"{layout.CACHE}/{wanted.version}-trt{machine.tensorrt}-sm{machine.sm}"


def _pip_arguments(settings: Settings) -> tuple[str, ...]:
    given = {"--find-links": settings.find_links, "--index-url": settings.index_url}
    return tuple(word for flag, value in given.items() if value for word in (flag, value))


def _unit_values(
    settings: Settings, machine: Machine, arguments: tuple[str, ...], checkpoints: tuple[Checkpoint | None, ...]
) -> dict[str, Any]:
    wanted = edgellm_release(settings.edgellm_version)
    size = sum(checkpoint.size for checkpoint in checkpoints if checkpoint)
    needed = size + BUILD_MEMORY_BYTES + int(settings.memory_reserve_gib * 1024**3)
    keyed = settings.api_key_file is not None
    return {
        "version": wanted.version,
        "user": layout.USER,
        "environment_file": layout.ENVIRONMENT_FILE,
        "credential": layout.KEY_FILE if keyed else None,
        "start_limit_interval_s": _FAILED_STARTS * (_RESTART_PAUSE_S + settings.ready_timeout_s) + 60,
        "failed_starts": _FAILED_STARTS,
        "restart_pause_s": _RESTART_PAUSE_S,
        "wait_for_devices": unit_word(_WAIT_FOR_DEVICES),
        "wait_for_memory": unit_word(_ENOUGH_MEMORY.format(kib=needed // 1024)),
        "clear_staging": unit_word(f"rm -rf {shell(cache_directory(wanted, machine))}/engines/*/.building-*"),
        "command": exec_start(settings, arguments),
    }


_WAIT_FOR_DEVICES = (
    "i=0; until [ -e /dev/nvidia0 ] || [ -e /dev/nvmap ]; do i=$((i+1)); "
    '[ $i -le 60 ] || { echo "no GPU device node after 60 s" >&2; exit 1; }; sleep 1; done'
)
_ENOUGH_MEMORY = (
    "while read -r name free unit; do [ $name = MemAvailable: ] && break; done < /proc/meminfo; "
    '[ "$free" -ge {kib} ] || {{ echo "MemAvailable is $free kB, {kib} kB are needed" >&2; exit 1; }}'
)


def _render(template: str, values: dict[str, Any]) -> str:
    # The results are unit files, not HTML: values are quoted by edgeops.quoting.
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, keep_trailing_newline=True, trim_blocks=True
    )
    return environment.get_template(template).render(values)


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
