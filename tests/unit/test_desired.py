"""What a host should run, as files: names, words, quoting, and what systemd itself says of the unit."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from edgeops.desired import Checkpoint, Machine, Service, release, service, speculative_config
from edgeops.settings import Settings

MACHINE = Machine("3.12", "10.16.1.11", "121")
BASE = Checkpoint("/srv/model", "/srv/model", None, "f00d", 22 * 1024**3)
DRAFT = Checkpoint("/srv/draft", "/srv/draft", None, "beef", 1024**3)


def built(draft: Checkpoint | None = DRAFT, base: Checkpoint = BASE, **settings: object) -> Service:
    given = Settings.model_validate({"model": base.source, "draft_model": "/srv/draft", **settings})
    return service(given, MACHINE, release(given, MACHINE, ""), base, draft)


def test_a_release_is_named_by_everything_that_changes_what_pip_installs() -> None:
    names = {
        release(Settings(), MACHINE, "").name,
        release(Settings(), MACHINE, "numpy==2.2.6").name,
        release(Settings(), Machine("3.11", "10.16.1.11", "121"), "").name,
        release(Settings(edgellm_version="0.11.0"), MACHINE, "").name,
    }
    assert len(names) == 4
    assert all(re.fullmatch(r"0\.11\.[01]-[0-9a-f]{8}", name) for name in names)
    assert release(Settings(k=5), MACHINE, "").name in names


@pytest.mark.parametrize(
    ("version", "command", "extra"),
    [
        ("0.11.0", "tensorrt-edgellm-serve", "server"),
        ("0.11.1", "trtedge serve", "server"),
        ("0.12.0", "edgellm serve", "runtime"),
    ],
)
def test_each_version_is_started_by_its_own_command(version: str, command: str, extra: str) -> None:
    assert f"ExecStart=/opt/edgeops/current/venv/bin/{command} /srv/model " in built(edgellm_version=version).unit
    assert (
        release(Settings(edgellm_version=version), MACHINE, "").requirement == f"tensorrt-edgellm[{extra}]=={version}"
    )


def test_the_speculative_flag_is_the_vendors_json() -> None:
    assert (
        speculative_config(Settings(k=3), DRAFT)
        == '{"method":"dspark","model":"/srv/draft","num_speculative_tokens":3}'
    )
    assert speculative_config(Settings(method="mtp", k=2), None) == '{"method":"mtp","num_speculative_tokens":2}'


def test_plain_decoding_has_no_speculative_flag_and_says_none() -> None:
    plain = built(draft=None, method="off")
    assert "--speculative-config" not in plain.arguments
    assert plain.method == "none"


def test_the_cache_is_apart_for_each_version_tensorrt_and_gpu() -> None:
    assert "/var/lib/trtedge/cache/0.11.1-trt10.16.1.11-sm121" in built().arguments


def test_the_identity_moves_with_whatever_the_server_is_started_from() -> None:
    other_bytes = Checkpoint("/srv/draft", "/srv/draft", None, "cafe", 1024**3)
    identities = [built().identity, built(k=5).identity, built(port=8001).identity, built(draft=other_bytes).identity]
    assert len(set(identities)) == 4
    assert built().identity == identities[0]


def test_a_key_is_a_credential_and_not_in_the_unit(tmp_path: Path) -> None:
    unit = built(api_key_file=str(tmp_path / "key")).unit
    assert "LoadCredential=api_key:/etc/edgeops/api_key" in unit
    assert "--api-key" not in unit


def test_a_start_waits_for_model_build_and_reserve_in_memory() -> None:
    needed = (22 + 1 + 2 + 8) * 1024 * 1024
    assert f"-ge {needed} ]" in built().unit


@pytest.fixture
def verified(tmp_path: Path) -> object:
    """Runs ``systemd-analyze verify`` on a unit whose programs exist and whose user is one that every system has."""

    def verify(unit: str) -> str:
        path = tmp_path / "trtedge.service"
        stand_in = shutil.which("true") or "/bin/true"
        text = unit.replace("/opt/edgeops/current/venv/bin/trtedge", stand_in).replace("=trtedge", "=daemon")
        path.write_text(text.replace("/etc/edgeops/trtedge.env", "-/dev/null"))
        ran = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", str(path)], capture_output=True, text=True, check=False
        )
        return ran.stdout + ran.stderr

    return verify


def test_systemd_finds_nothing_wrong_with_the_unit(verified) -> None:
    complaints = [line for line in verified(built().unit).splitlines() if "trtedge" in line]
    assert complaints == []


def test_systemd_reads_hostile_words_back_as_they_were(tmp_path: Path) -> None:
    hostile = '/srv/mo del %h $HOME ${USER} "quoted" \\n it\'s; 50%'
    unit = built(base=Checkpoint(hostile, hostile, None, "f", 1), served_name="a b%i$c").unit
    line = next(line for line in unit.splitlines() if line.startswith("ExecStart="))
    read = _systemd_words(line.removeprefix("ExecStart="))
    assert read[2] == hostile
    assert read[read.index("--served-model-name") + 1] == "a b%i$c"


def _systemd_words(text: str) -> list[str]:
    """systemd's own rules, the few that are used here: double quotes, backslashes, %% and $$."""
    words = re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', text)
    raw = [re.sub(r"\\(.)", r"\1", quoted) if quoted else plain for quoted, plain in words]
    return [word.replace("%%", "%").replace("$$", "$") for word in raw]


def test_the_exposure_that_systemd_computes_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "trtedge.service"
    path.write_text(built().unit)
    ran = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    exposure = float(re.search(r"exposure level for trtedge.service: ([\d.]+)", ran.stdout)[1])
    # 5.0 with systemd 252. GPU devices, JIT and /proc/meminfo forbid the options that would bring it below 4.
    assert exposure <= 5.2
