"""What is measured on a server that says this or that of itself."""

from __future__ import annotations

from typing import Any

import pytest

from edgeops.bench.decision import Asked, decide
from edgeops.bench.records import Negotiated, Survey
from edgeops.errors import ConfigurationError

HOST = Asked("spark-01", set_method="dspark", set_k=3)
URL = Asked("http://127.0.0.1:1")
TAKES_ALL = Negotiated(status=200, strict=True)
IGNORES = Negotiated(status=200, strict=False)
REFUSES = Negotiated(status=200, refused=("disable_spec_decode",), strict=True)


def says(method: str | None, **flags: str) -> Survey:
    capabilities = {"speculative_decoding": method != "none", "speculative_method": method} if method else {}
    return Survey(health={"capabilities": capabilities}, flags=flags or None)


def asked(base: Asked, **changes: Any) -> Asked:
    return Asked(**{**base.__dict__, **changes})


def test_a_speculative_host_is_measured_in_both_ways() -> None:
    found = decide(says("dspark"), TAKES_ALL, HOST)
    assert (found.arms, found.k, found.method, found.baseline_kind) == (("baseline", "k3"), 3, "dspark", "drafting_off")
    assert found.one_arm_because == ""


def test_k_comes_from_the_servers_command_line_before_the_settings() -> None:
    flags = {"speculative-config": '{"method": "dspark", "num_speculative_tokens": 5}'}
    assert decide(says("dspark", **flags), TAKES_ALL, HOST).arms == ("baseline", "k5")


@pytest.mark.parametrize(
    "config", ["", "{", "[]", '{"num_speculative_tokens": "x"}', '{"num_speculative_tokens": 999}']
)
def test_flags_that_cannot_be_read_leave_the_settings(config: str) -> None:
    assert decide(says("dspark", **{"speculative-config": config}), TAKES_ALL, HOST).k == 3


@pytest.mark.parametrize("k", [(3,), (0, 3), (3, 0)])
def test_the_running_k_may_be_named(k: tuple[int, ...]) -> None:
    assert decide(says("dspark"), TAKES_ALL, asked(HOST, k=k)).arms == ("baseline", "k3")


@pytest.mark.parametrize("k", [(5,), (0, 1, 3)])
def test_another_k_is_refused_and_the_running_one_named(k: tuple[int, ...]) -> None:
    with pytest.raises(ConfigurationError, match=r"spark-01 runs k=3") as refused:
        decide(says("dspark"), TAKES_ALL, asked(HOST, k=k))
    assert "deploy" in refused.value.remedy


def test_a_k_on_a_server_without_speculation_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="without speculation"):
        decide(says("none"), TAKES_ALL, asked(HOST, k=(3,)))


def test_another_method_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="'dspark'"):
        decide(says("dspark"), TAKES_ALL, asked(HOST, method="mtp"))


def test_plain_decoding_is_one_arm() -> None:
    found = decide(says("none"), TAKES_ALL, asked(HOST, set_method="off"))
    assert (found.arms, found.k, found.baseline_kind) == (("baseline",), 0, "vanilla_engine")
    assert "nothing to compare" in found.one_arm_because


def test_plain_decoding_against_the_settings_is_said() -> None:
    assert "although its settings say dspark" in decide(says("none"), TAKES_ALL, HOST).one_arm_because


def test_only_the_baseline_may_be_asked_for() -> None:
    found = decide(says("dspark"), TAKES_ALL, asked(HOST, k=(0,)))
    assert (found.arms, found.baseline_kind) == (("baseline",), "drafting_off")


def test_a_server_that_refuses_the_switch_is_measured_as_it_decodes() -> None:
    assert decide(says("dspark"), REFUSES, URL).arms == ("k3",)
    assert decide(says(None), REFUSES, URL).arms == ("baseline",)
    assert "refuses disable_spec_decode" in decide(says("dspark"), REFUSES, URL).one_arm_because


def test_a_silent_server_that_ignores_what_it_does_not_know_has_one_arm() -> None:
    found = decide(says(None), IGNORES, URL)
    assert (found.arms, found.baseline_kind) == (("baseline",), None)
    assert "would prove nothing" in found.one_arm_because


def test_a_silent_server_that_knows_the_switch_has_both_arms() -> None:
    assert decide(says(None), TAKES_ALL, URL).arms == ("baseline", "k3")


def test_a_server_that_states_its_method_has_both_arms_even_if_it_takes_any_field() -> None:
    assert decide(says("dspark"), IGNORES, asked(URL, k=(7,))).arms == ("baseline", "k7")
