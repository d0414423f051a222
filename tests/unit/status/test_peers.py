"""Hosts of one kind are alike, or the ones that are not are named."""

from __future__ import annotations

from dataclasses import replace

from edgeops.deployment.survey import CheckpointFound
from edgeops.status.peers import peer_drifts
from tests.data.answers import SPARK, THOR, said
from tests.unit.status.healthy import healthy, recorded, there


def test_hosts_that_are_alike_have_nothing_between_them() -> None:
    assert peer_drifts([healthy("a"), healthy("b"), healthy("c")]) == {}
    assert peer_drifts([healthy("a")]) == {}


def test_the_one_that_differs_from_most_is_named_with_both_values() -> None:
    odd = healthy("c", SPARK | {"driver_module": said("580.142")})
    found = peer_drifts([healthy("a"), healthy("b"), odd])
    assert list(found) == ["c"]
    (drift,) = found["c"]
    assert (drift.what, drift.actual) == ("driver among its like", "580.142")
    assert drift.declared.endswith(" on a, b")
    assert drift.remedy.endswith("edgeops deploy c")


def test_without_a_majority_all_are_named() -> None:
    found = peer_drifts([healthy("a"), healthy("b", SPARK | {"uname": said("Linux 6.0.0-1-nvidia aarch64")})])
    assert {name: [drift.what for drift in drifts] for name, drifts in found.items()} == {
        "a": ["kernel among its like"],
        "b": ["kernel among its like"],
    }
    assert found["a"][0].declared == "6.0.0-1-nvidia on b"


def test_another_platform_another_model_of_machine_and_hosts_without_anything_are_not_compared() -> None:
    oem = healthy("oem", SPARK | {"product_name": said("GX10"), "driver_module": said("580.142")})
    new = there(healthy("new", SPARK | {"driver_module": said("580.1.2")}), state={}, unit=None)
    assert peer_drifts([healthy("a"), healthy("b"), healthy("thor", THOR), oem, new]) == {}


def test_draft_weights_that_differ_over_the_fleet_are_named() -> None:
    odd = healthy("c")
    odd = there(odd, checkpoints={**odd.found.checkpoints, "/srv/draft": CheckpointFound("{}", "e" * 64, 100)})
    found = peer_drifts([healthy("a"), healthy("b"), odd])
    assert [(drift.what, drift.actual) for drift in found["c"]] == [("draft model among its like", "e" * 12)]


def test_hosts_that_are_declared_otherwise_are_not_compared_in_it() -> None:
    other = healthy("c")
    settings = other.host.settings.model_copy(update={"edgellm_version": "0.11.0"})
    other = recorded(replace(other, host=replace(other.host, settings=settings)), release="0.11.0-12345678")
    assert peer_drifts([healthy("a"), healthy("b"), other]) == {}


def test_many_others_are_counted_and_not_all_listed() -> None:
    odd = healthy("odd", SPARK | {"driver_module": said("580.142")})
    found = peer_drifts([*(healthy(f"h{number}") for number in range(9)), odd])
    assert found["odd"][0].declared.endswith(" on h0, h1, h2 and 6 more")
