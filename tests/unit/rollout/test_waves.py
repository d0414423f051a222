"""Who is changed together with whom, and in which order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeops.errors import ConfigurationError
from edgeops.rollout.waves import Canary, Share, plan_waves, read_batches, read_canary, read_share

HOSTS = [f"h{number:02}" for number in range(12)]
KINDS = {host: ("spark" if number % 3 else "thor") for number, host in enumerate(HOSTS)}


@pytest.mark.parametrize("text", ["", " ", ",", "0", "²"])
def test_an_empty_canary_is_refused_and_not_taken_for_none(text: str) -> None:
    with pytest.raises(ConfigurationError):
        plan_waves(HOSTS, KINDS, read_canary(text), ())


def test_an_empty_batches_is_refused_and_not_taken_for_none() -> None:
    with pytest.raises(ConfigurationError):
        read_batches("")


def test_without_anything_said_all_go_at_once_in_the_inventorys_order() -> None:
    assert plan_waves(HOSTS, {}, Canary(), ()) == [HOSTS]


def test_one_canary_of_each_kind_goes_first() -> None:
    waves = plan_waves(HOSTS, KINDS, Canary(per_kind=1), ())
    assert waves[0] == ["h00", "h01"]
    assert waves[1] == [host for host in HOSTS if host not in waves[0]]


def test_named_canaries_go_first_in_the_order_given() -> None:
    assert plan_waves(HOSTS, {}, Canary(names=("h05", "h02")), ())[0] == ["h05", "h02"]


def test_a_canary_that_is_no_target_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="h99"):
        plan_waves(HOSTS, {}, Canary(names=("h99",)), ())


def test_batches_are_counts_or_shares_of_all_and_the_last_is_repeated() -> None:
    waves = plan_waves(HOSTS, {}, Canary(), read_batches("1,25%"))
    assert [len(wave) for wave in waves] == [1, 3, 3, 3, 2]


def test_a_host_whose_kind_is_not_known_is_no_canary_and_not_forgotten() -> None:
    kinds = {host: kind for host, kind in KINDS.items() if host != "h00"}
    waves = plan_waves(HOSTS, kinds, Canary(per_kind=1), ())
    assert "h00" not in waves[0]
    assert sorted(host for wave in waves for host in wave) == HOSTS


@pytest.mark.parametrize("text", ["x", "-1", "101%", "1.5", "", "10 %%", "9999999"])
def test_what_is_no_number_of_hosts_is_told(text: str) -> None:
    with pytest.raises(ConfigurationError, match="--max-fail"):
        read_share(text, "--max-fail")


@pytest.mark.parametrize("text", ["0", "1,0%", "1,,2", "half"])
def test_batches_that_are_none_are_told(text: str) -> None:
    with pytest.raises(ConfigurationError, match="--batches"):
        read_batches(text)


def test_a_number_is_a_canary_of_each_kind_and_names_are_names() -> None:
    assert read_canary("2") == Canary(per_kind=2)
    assert read_canary("a, b") == Canary(names=("a", "b"))
    assert not read_canary(None)


@given(
    st.lists(st.sampled_from(HOSTS), unique=True),
    st.integers(0, 3),
    st.lists(st.builds(Share, st.integers(1, 100), st.booleans()), max_size=4),
)
def test_every_host_is_in_exactly_one_wave_and_batches_keep_the_order(hosts, per_kind, batches) -> None:
    waves = plan_waves(hosts, KINDS, Canary(per_kind=per_kind), batches)
    assert sorted(host for wave in waves for host in wave) == sorted(hosts)
    assert all(waves)
    later = waves[1:] if per_kind and waves else waves
    order = [host for wave in later for host in wave]
    assert order == [host for host in hosts if host in order]
