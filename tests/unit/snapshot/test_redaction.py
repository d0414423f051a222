"""Nothing personal stays in a snapshot that is kept."""

from __future__ import annotations

import json

import pytest

from edgeops.requirements import judge
from edgeops.settings import Settings
from edgeops.snapshot import Answer, Snapshot
from edgeops.snapshot.documents import document
from edgeops.snapshot.redaction import redacted
from tests.data.build import snapshot_of
from tests.data.hosts import FIXTURES, Fixture

OWN = {
    "state": {
        "release": "0.11.1-1a2b3c4d",
        "by": "erika",
        "from": "10.0.0.7",
        "hf_token": "abc123",
        "model": "nvidia/X",
    },
    "unit": {"ActiveState": "active", "User": "trtedge", "MainPID": "42"},
    "current": "/opt/edgeops/releases/0.11.1-1a2b3c4d",
}
SECRETS = {
    "dgx_release": ('DGX_SERIAL_NUMBER="1983925004711"\nDGX_PLATFORM=GX10\n', "1983925004711"),
    "cmdline": ("root=/dev/sda1 androidboot.serialno=1424A3B0 quiet", "1424A3B0"),
    "uname": ("Linux 6.8 aarch64 48:b0:2d:aa:bb:cc", "48:b0:2d:aa:bb:cc"),
    "nvpmodel": ("Authorization: Bearer abc.def.ghi", "abc.def.ghi"),
    "nvcc": ("HF_TOKEN=hf_abcdefghijklmn api_key: sekret99", "hf_abcdefghijklmn"),
    "groups": ("video:x:44:erika,max\nrender:x:993:erika\n", "erika"),
    "gpu_users": ("77, /home/erika/venv/bin/python, 10 MiB\n", "erika"),
    "edgeops": (json.dumps(OWN), "erika"),
}


def snapshot() -> Snapshot:
    probes = {probe: Answer(0, text) for probe, (text, _) in SECRETS.items()}
    return Snapshot("spark-01", "", False, probes | {"sudo": Answer(1, "", "erika is not in the sudoers file.\n")})


@pytest.mark.parametrize("probe", SECRETS)
def test_the_secret_of_an_answer_is_removed(probe: str) -> None:
    assert SECRETS[probe][1] not in redacted(snapshot()).answer(probe).out


def test_no_secret_is_left_anywhere() -> None:
    text = json.dumps(document(redacted(snapshot(), ["max"])))
    for secret in ("erika", "max", "sekret99", "10.0.0.7", "abc123", "1983925004711"):
        assert secret not in text


def test_what_is_judged_stays() -> None:
    kept = redacted(snapshot())
    assert "DGX_PLATFORM=GX10" in kept.answer("dgx_release").out
    assert kept.answer("groups").out == "video:x:44:\nrender:x:993:\n"
    assert json.loads(kept.answer("edgeops").out)["unit"] == OWN["unit"]
    assert json.loads(kept.answer("edgeops").out)["state"]["model"] == "nvidia/X"


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)
def test_a_redacted_snapshot_is_judged_like_the_whole_one(fixture: Fixture) -> None:
    whole = snapshot_of(fixture)
    assert judge(redacted(whole, ["nvidia", "ubuntu"]), Settings()) == judge(whole, Settings())


def test_removing_twice_changes_nothing_more() -> None:
    once = redacted(snapshot())
    assert redacted(once) == once
