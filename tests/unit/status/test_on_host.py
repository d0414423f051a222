"""The programs that look at a host, run here on files of the test."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

from edgeops.engine.script import LOADER
from edgeops.locations import DEPLOYS

ON_HOST = DEPLOYS / "on_host"
LOOK = runpy.run_path(str(ON_HOST / "look.py"), run_name="look")
SURVEY = runpy.run_path(str(ON_HOST / "survey.py"), run_name="survey")
MIB = 1 << 20


def fingerprint(directory: Path) -> str:
    return str(SURVEY["checkpoint"](str(directory))["fingerprint"])


def model(directory: Path, weights: bytes) -> Path:
    directory.mkdir()
    (directory / "config.json").write_text("{}")
    (directory / "weights.bin").write_bytes(weights)
    return directory


def test_a_fingerprint_is_the_same_for_the_same_files_wherever_they_lie(tmp_path: Path) -> None:
    weights = bytes(range(256)) * 8192
    assert fingerprint(model(tmp_path / "a", weights)) == fingerprint(model(tmp_path / "b", weights))


def test_weights_of_the_same_size_with_other_content_have_another_fingerprint(tmp_path: Path) -> None:
    assert fingerprint(model(tmp_path / "a", b"a" * 2 * MIB)) != fingerprint(model(tmp_path / "b", b"b" * 2 * MIB))


def test_one_byte_of_a_small_file_is_enough_and_so_is_the_last_of_a_large_one(tmp_path: Path) -> None:
    small = fingerprint(model(tmp_path / "a", b"a" * 100_000))
    assert small != fingerprint(model(tmp_path / "b", b"a" * 50_000 + b"b" + b"a" * 49_999))
    large = fingerprint(model(tmp_path / "c", b"a" * (3 * MIB + 5)))
    assert large != fingerprint(model(tmp_path / "d", b"a" * (3 * MIB + 4) + b"b"))


def test_versions_now_are_those_of_the_venv_before_those_of_the_system(tmp_path: Path) -> None:
    release = tmp_path / "release"
    installed(release, "Annotated_Types", "99.0")
    (release / "closure.json").write_text(json.dumps({"annotated-types": "0.7", "gone": "1", "pip": "1"}))
    found = LOOK["packages"](str(release))
    assert found["recorded"] == {"annotated-types": "0.7", "gone": "1", "pip": "1"}
    assert found["now"]["annotated-types"] == "99.0"
    assert "gone" not in found["now"]


def installed(release: Path, name: str, version: str) -> None:
    place = release / "venv/lib/python3.12/site-packages" / f"{name}-{version}.dist-info"
    place.mkdir(parents=True)
    (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def test_a_release_without_a_record_of_its_packages_says_so(tmp_path: Path) -> None:
    assert LOOK["packages"](str(tmp_path)) is None
    (tmp_path / "closure.json").write_text("[1]")
    assert LOOK["packages"](str(tmp_path)) is None


def test_a_process_is_known_by_the_words_of_its_command_line() -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", "print(flush=True); input()", "two words"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert child.stdout is not None
        child.stdout.readline()  # it runs its own program by now
        found = LOOK["process"](child.pid, "/nowhere")
    finally:
        child.communicate(b"\n")
    assert found["command"][1:] == ["-c", "print(flush=True); input()", "two words"]
    assert found["release"] is None
    assert LOOK["process"](0, "/nowhere") is None


def together(**programs: str) -> dict[str, Any]:
    """What the runner says of several programs, by their name."""
    plan = {name: {"name": f"{name}.py", "source": source, "plan": {"x": 7}} for name, source in programs.items()}
    given = {"name": "together.py", "source": (ON_HOST / "together.py").read_text(), "plan": plan}
    ran = subprocess.run(
        [sys.executable, "-I", "-c", LOADER], input=json.dumps(given) + "\n", capture_output=True, text=True, check=True
    )
    return {answer["program"]: answer for answer in map(json.loads, ran.stdout.splitlines())}


def test_several_programs_run_in_one_interpreter_and_one_that_fails_stops_no_other() -> None:
    found = together(
        good="import json\nif __name__ == '__main__':\n    print(json.dumps(globals()['PLAN']))",
        bad="1 / 0",
        gone="raise SystemExit(3)",
        last="print('line one'); print('line two')",
    )
    assert found["good"] == {"program": "good", "lines": ['{"x": 7}'], "error": ""}
    assert found["bad"]["error"].startswith("ZeroDivisionError")
    assert found["gone"]["error"] == "SystemExit: 3"
    assert found["last"]["lines"] == ["line one", "line two"]
