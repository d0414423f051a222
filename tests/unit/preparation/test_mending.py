from __future__ import annotations

import pytest

from edgeops.errors import RequirementError
from edgeops.preparation.mending import Mending, left, mending, refuse_held
from edgeops.releases import TENSORRT_PACKAGES
from edgeops.requirements import Case, judge_case
from edgeops.settings import Settings
from edgeops.snapshot import Answer, Snapshot
from tests.data.answers import SPARK, THOR, Answers, debs, said
from tests.data.build import snapshot_of
from tests.data.hosts import FIXTURES

PINNED = "10.16.1.11-1+cuda13.2"
NO_TENSORRT = {
    "tensorrt_python": Answer(1, "", "ModuleNotFoundError: No module named 'tensorrt'\n"),
    "dpkg_tensorrt": Answer(1),
    "apt_hold": Answer(0),
}


def case_of(answers: Answers, **settings: object) -> Case:
    return Case(Snapshot("a", "2026-11-30T09:12:44+00:00", False, answers), Settings.model_validate(settings))


def mended(answers: Answers, **settings: object) -> Mending:
    case = case_of(answers, **settings)
    return mending(case, judge_case(case))


def fixture(name: str) -> Answers:
    (found,) = (fixture for fixture in FIXTURES if fixture.name == name)
    return dict(snapshot_of(found).probes)


def test_a_good_host_needs_nothing() -> None:
    assert mended(SPARK) == Mending()


def test_all_packages_of_tensorrt_are_pinned_at_one_version_and_held() -> None:
    plan = mended(SPARK | NO_TENSORRT)
    assert plan.packages == tuple(f"{name}={PINNED}" for name in TENSORRT_PACKAGES)
    assert plan.holds == TENSORRT_PACKAGES
    assert "tensorrt.python" in plan.ids


def test_a_jetson_gets_what_its_jetpack_ships() -> None:
    assert mended(THOR | NO_TENSORRT).packages[0] == "libnvinfer10=10.16.2.10-1+cuda13.2"


def test_a_jetson_without_its_jetpack_is_left_alone_as_that_brings_cuda() -> None:
    bare = THOR | NO_TENSORRT | {"dpkg_jetpack": Answer(1)}
    assert mended(bare) == Mending()
    case = case_of(bare)
    remedies = {verdict.id: verdict.remedy for verdict in left(judge_case(case), Mending())}
    assert remedies["tensorrt.python"] == "sudo apt-get install -y nvidia-jetpack"


def test_packages_of_another_major_are_not_pinned_and_those_without_a_major_are() -> None:
    eleven = debs("11.4.0.106-1+cuda13.2", names=("libnvinfer11", "python3-libnvinfer", "tensorrt"), hold=False)
    plan = mended(SPARK | {"tensorrt_python": said("11.4.0.106"), "dpkg_tensorrt": eleven, "apt_hold": Answer(0)})
    assert f"tensorrt={PINNED}" in plan.packages
    assert not any(word.startswith("libnvinfer11") for word in plan.packages)


def test_a_held_package_at_another_version_is_refused_with_both_ways_out() -> None:
    case = case_of(SPARK, tensorrt_version="10.13.3.9")
    plan = mending(case, judge_case(case))
    with pytest.raises(RequirementError) as refused:
        refuse_held(case, plan)
    assert f"on hold at {PINNED}" in refused.value.message
    assert 'tensorrt_version: "10.16.1.11"' in refused.value.remedy
    assert "apt-mark unhold" in refused.value.remedy


def test_what_is_right_but_loose_is_only_held() -> None:
    loose = SPARK | {"dpkg_tensorrt": debs(PINNED, hold=False), "apt_hold": Answer(0)}
    plan = mended(loose)
    assert (plan.packages, plan.ids) == ((), ("tensorrt.held",))
    assert "libnvinfer10" in plan.holds


def test_a_failure_that_the_host_may_have_is_left_alone() -> None:
    assert mended(SPARK | {"groups": said("video:x:44:")}).groups == ("render",)
    assert mended(SPARK | {"groups": said("video:x:44:")}, accept=["host.groups"]) == Mending()


def test_a_family_that_excludes_the_platforms_own_version_pins_nothing() -> None:
    assert mended(SPARK | NO_TENSORRT, tensorrt_version="10.13.*") == Mending()
    assert mended(SPARK | NO_TENSORRT, tensorrt_version="10.*").packages[0] == f"libnvinfer10={PINNED}"


def test_a_version_of_an_unknown_build_is_left_to_what_the_sources_have() -> None:
    assert mended(SPARK | NO_TENSORRT, tensorrt_version="10.17.0.5").packages[0] == "libnvinfer10=10.17.0.5-*"


def test_half_installed_packages_are_for_dpkg_and_not_for_prepare() -> None:
    half = Answer(0, f"libnvinfer10\tinstall ok half-configured\t{PINNED}\n")
    assert mended(SPARK | NO_TENSORRT | {"dpkg_tensorrt": half}) == Mending()


def test_a_missing_venv_is_installed_but_another_python_is_not() -> None:
    assert mended(SPARK | {"python": said("Python 3.12.3", "venv ok", "ensurepip missing")}).packages == (
        "python3-venv",
    )
    assert mended(SPARK | {"python": said("Python 3.8.10", "venv ok", "ensurepip missing")}) == Mending()


def test_what_only_follows_from_a_mended_fault_is_not_left() -> None:
    case = case_of(fixture("spark-tensorrt-11"))
    verdicts = judge_case(case)
    assert {v.id for v in verdicts if v.status == "fail"} == {"tensorrt.version", "gpu.payload"}
    assert left(verdicts, mending(case, verdicts)) == ()


@pytest.mark.parametrize("name", [fixture.name for fixture in FIXTURES])
def test_no_host_gets_more_than_venv_tensorrt_and_groups(name: str) -> None:
    plan = mended(fixture(name))
    names = [word.partition("=")[0] for word in plan.packages]
    assert all(word == "python3-venv" or word.startswith(("libnv", "python3-libnv", "tensorrt")) for word in names)
    assert set(plan.groups) <= {"video", "render"}
    assert len({word.partition("=")[2] for word in plan.packages if "=" in word}) <= 1
