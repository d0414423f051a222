"""What has to be done follows from what is declared and what was found, and from nothing else."""

from __future__ import annotations

from dataclasses import replace

from edgeops.deployment.plan import changes
from edgeops.deployment.survey import CheckpointFound, Found
from edgeops.desired import Checkpoint, Declared, Machine, release, service
from edgeops.settings import Settings

SETTINGS = Settings(model="/srv/model", draft_model="/srv/draft")
MACHINE = Machine("3.12", "10.16.1.11", "121")
CHECKPOINTS = (
    Checkpoint("/srv/model", "/srv/model", None, "f", 1),
    Checkpoint("/srv/draft", "/srv/draft", None, "g", 1),
)
RELEASE = release(SETTINGS, MACHINE, "")
DECLARED = Declared(SETTINGS, MACHINE, RELEASE, CHECKPOINTS, service(SETTINGS, MACHINE, RELEASE, *CHECKPOINTS))
THERE = {c.directory: CheckpointFound("{}", c.fingerprint, c.size) for c in CHECKPOINTS}
SERVING = Found(
    unit=DECLARED.service.unit,
    environment=DECLARED.service.environment,
    current=RELEASE.directory,
    user=True,
    release=RELEASE.marker,
    checkpoints=THERE,
    state={"identity": DECLARED.service.identity},
    active=True,
)


def texts(declared: Declared = DECLARED, found: Found = SERVING, *, has_venv: bool = True) -> list[str]:
    return [change.text for change in changes(declared, found, has_venv=has_venv)]


def test_a_verified_host_that_is_as_declared_has_nothing_to_change() -> None:
    assert texts() == []


def test_a_new_host_gets_everything_in_order() -> None:
    phases = [change.phase for change in changes(DECLARED, Found(checkpoints=THERE), has_venv=False)]
    assert phases == ["install"] * 3 + ["switch"] * 4


def test_another_k_is_a_restart_and_no_install() -> None:
    other = SETTINGS.model_copy(update={"k": 5})
    declared = replace(DECLARED, settings=other, service=service(other, MACHINE, RELEASE, *CHECKPOINTS))
    assert texts(declared) == ["change trtedge.service", "restart trtedge"]


def test_another_version_is_installed_beside() -> None:
    other = SETTINGS.model_copy(update={"edgellm_version": "0.12.0"})
    pinned = release(other, MACHINE, "")
    declared = Declared(other, MACHINE, pinned, CHECKPOINTS, service(other, MACHINE, pinned, *CHECKPOINTS))
    found = texts(declared)
    assert found[0] == f"install tensorrt-edgellm[runtime]==0.12.0 as release {pinned.name}"
    assert f"switch to release {pinned.name} from {RELEASE.name}" in found


def test_a_stopped_service_is_started_and_nothing_else() -> None:
    assert texts(found=replace(SERVING, active=False)) == ["start trtedge"]


def test_a_run_that_died_between_switch_and_record_is_finished_by_the_next() -> None:
    assert texts(found=replace(SERVING, state={"identity": "of the former service"})) == [
        "restart trtedge: it runs from something else than was verified"
    ]


def test_a_drop_in_that_it_was_not_verified_with_is_a_restart() -> None:
    mine = replace(SERVING, drop_ins={"/etc/systemd/system/trtedge.service.d/mine.conf": "[Service]\nNice=5\n"})
    recorded = {**SERVING.state, "drop_ins": {}}
    assert texts(found=replace(mine, state=recorded)) == [
        "restart trtedge: it runs from something else than was verified"
    ]
    assert texts(found=replace(mine, state={**recorded, "drop_ins": mine.drop_in_digests})) == []
    assert texts(found=mine) == []  # nothing was recorded of drop-ins: nothing is known to have changed


def test_a_unit_edited_by_hand_is_put_right() -> None:
    assert texts(found=replace(SERVING, unit="edited")) == ["change trtedge.service", "restart trtedge"]


def test_another_key_is_a_change_and_so_is_no_key_any_more() -> None:
    assert texts(replace(DECLARED, key_sha256="b"), replace(SERVING, key_sha256="a"))[0] == "change the API key"
    assert texts(found=replace(SERVING, key_sha256="a"))[0] == "remove the API key"
    assert texts(replace(DECLARED, key_sha256="a"), replace(SERVING, key_sha256="a")) == []


def test_an_unfinished_release_is_installed_again() -> None:
    assert texts(found=replace(SERVING, release=None)) == [f"install {RELEASE.requirement} as release {RELEASE.name}"]


def test_a_download_counts_only_when_its_mark_is_there() -> None:
    hub = Checkpoint("org/model", "/var/lib/trtedge/models/org--model/abc", "a" * 40)
    declared = replace(DECLARED, checkpoints=(hub,), service=None)
    half = replace(SERVING, checkpoints={hub.directory: CheckpointFound("{}", "f", 1)})
    whole = {"source": "org/model", "revision": "a" * 40}
    done = replace(SERVING, checkpoints={hub.directory: CheckpointFound("{}", "f", 1, whole)})
    assert "download org/model at revision aaaaaaaaaaaa" in texts(declared, half)
    assert not any("download" in text for text in texts(declared, done))


def test_what_is_named_by_its_id_is_sent_where_this_machine_distributes_and_downloaded_elsewhere() -> None:
    commit = "0123456789abcdef" * 2 + "01234567"
    pinned, newest = Checkpoint("acme/Tiny", f"/models/{commit}", commit), Checkpoint("acme/Draft", "")
    declared = replace(DECLARED, checkpoints=(pinned, newest), service=None)
    sent = changes(declared, SERVING, has_venv=True, sent={"acme/Tiny", "acme/Draft"})
    assert [change.text for change in sent if change.phase == "stage"] == [
        "send acme/Tiny at revision 0123456789ab from this machine",
        "send acme/Draft at its newest revision from this machine",
    ]
    assert texts(declared)[:2] == [
        "download acme/Tiny at revision 0123456789ab",
        "download acme/Draft at its newest revision",
    ]
