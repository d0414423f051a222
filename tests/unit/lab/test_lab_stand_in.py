"""Stand-in wheels say what they are, install as the version they stand for, and keep the vendor's requirements."""

from __future__ import annotations

import base64
import hashlib
import json
import zipfile

import pytest
from packaging.metadata import Metadata
from packaging.specifiers import SpecifierSet
from packaging.utils import parse_wheel_filename

from edgeops.lab.stand_in import STAND_INS, build_wheel

METADATA = """\
Metadata-Version: 2.2
Name: tensorrt-edgellm
Version: 0.11.0
Summary: the vendor's
Requires-Dist: numpy<3
Provides-Extra: server
Requires-Dist: fastapi==0.139.2; extra == "server"
Provides-Extra: server-tools
Requires-Dist: transformers==5.14.1; extra == "server-tools"

Long words.
"""


@pytest.fixture(params=STAND_INS, ids=lambda one: one.version)
def stand_in(request):
    return request.param


@pytest.fixture
def wheel(tmp_path, stand_in):
    vendor = tmp_path / "vendor.whl"
    with zipfile.ZipFile(vendor, "w") as made:
        made.writestr("tensorrt_edgellm/_version.py", '__version__ = "0.11.0"\n')
        made.writestr("tensorrt_edgellm/_native/variants.json", "{}")
        made.writestr("tensorrt_edgellm/_native/payloads/x/real.so", "compiled")
        made.writestr("experimental/server/cli.py", "def main(): pass\n")
        for name, content in (("METADATA", METADATA), ("RECORD", ""), ("WHEEL", ""), ("licenses/LICENSE", "Apache")):
            made.writestr(f"tensorrt_edgellm-0.11.0.dist-info/{name}", content)
    with zipfile.ZipFile(build_wheel(vendor, b"plugin", stand_in, tmp_path)) as opened:
        yield opened


def read(wheel, end):
    return wheel.read(next(name for name in wheel.namelist() if name.endswith(end)))


def test_the_version_is_local_and_satisfies_the_pin(wheel, stand_in):
    metadata = Metadata.from_email(read(wheel, "/METADATA"))
    assert str(metadata.version) == f"{stand_in.version}+lab"
    assert metadata.version in SpecifierSet(f"=={stand_in.version}")
    assert read(wheel, "/_version.py").decode() == f'__version__ = "{stand_in.version}+lab"\n'
    assert parse_wheel_filename(stand_in.file_name)[1] == metadata.version


def test_it_says_that_it_is_a_stand_in(wheel):
    assert "STAND-IN" in Metadata.from_email(read(wheel, "/METADATA")).summary


def test_the_server_requires_what_the_vendors_does(wheel, stand_in):
    metadata = Metadata.from_email(read(wheel, "/METADATA"))
    assert sorted(metadata.provides_extra) == sorted([stand_in.extra, "server-tools"])
    assert [str(one) for one in metadata.requires_dist] == [
        "numpy<3",
        f'fastapi==0.139.2; extra == "{stand_in.extra}"',
        'transformers==5.14.1; extra == "server-tools"',
    ]


def test_the_record_names_every_file_with_its_digest(wheel):
    lines = dict(line.rsplit(",", 2)[:2] for line in read(wheel, "/RECORD").decode().splitlines())
    assert set(lines) == set(wheel.namelist())
    for name, digest in lines.items():
        made = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).rstrip(b"=").decode()
        assert digest in ("", f"sha256={made}")
        assert digest or name.endswith("/RECORD")


def test_the_manifest_points_to_files_of_the_wheel_with_their_digests(wheel):
    rows = json.loads(read(wheel, "/variants.json"))["variants"]
    assert {row["variant_id"] for row in rows} == {
        "dgx-spark-cu13-sm121",
        "jetson-thor-jp72-cu13-sm110",
        "jetson-orin-jp72-cu13-sm87",
    }
    for row in rows:
        for part in ("extension", "plugin"):
            content = wheel.read(f"tensorrt_edgellm/{row[part]}")
            assert hashlib.sha256(content).hexdigest() == row[f"{part}_sha256"]


def test_nothing_compiled_of_the_vendor_is_in_it_and_the_licence_is(wheel):
    assert not any("payloads/x" in name for name in wheel.namelist())
    assert read(wheel, ".dist-info/licenses/LICENSE") == b"Apache"


def test_each_version_has_its_own_command(wheel, stand_in):
    lines = read(wheel, "/entry_points.txt").decode().splitlines()
    command = {"0.11.0": "tensorrt-edgellm-serve", "0.11.1": "trtedge", "0.12.0": "edgellm"}[stand_in.version]
    assert [line.split(" = ")[0] for line in lines[1:]] == [command]
    assert "tensorrt_edgellm_lab/entry.py" in wheel.namelist()
