"""The scripted engine's speed: the vendor's published figures, exactly, and a stated model for the rest."""

from __future__ import annotations

from itertools import pairwise

import pytest

from edgeops.lab.scripted.knobs import KNOBS, KnobError, Knobs, knobs_of, read_knobs
from edgeops.lab.scripted.plan import plan_steps
from edgeops.lab.scripted.speed import (
    DRAFT_TTFT,
    PLAIN_TTFT,
    Pace,
    draft_pace,
    dspark_tok_s,
    plain_pace,
    tokens_per_step,
    ttft_ms,
)
from edgeops.lab.scripted.words import prompt_leaning

DEFAULT = Knobs({})


def measured(pace, total, seed):
    """Decode rate as a client computes it: tokens after the first, over the time from the first step to the last."""
    steps = plan_steps(pace, total, seed)
    return (sum(step.tokens for step in steps) - 1) / (steps[-1].due_s - steps[0].due_s)


def test_three_candidates_have_the_published_rate():
    assert dspark_tok_s(3) == pytest.approx(126.9)


def test_seven_candidates_give_the_acceptance_of_the_model_card():
    assert tokens_per_step(7) == pytest.approx(3.75, abs=0.01)


def test_three_candidates_are_the_best_choice():
    assert max(range(1, 9), key=dspark_tok_s) == 3


@pytest.mark.parametrize(
    ("points", "place"), [(points, place) for points in (PLAIN_TTFT, DRAFT_TTFT) for place in range(3)]
)
def test_the_first_token_comes_when_published(points, place):
    tokens, milliseconds = points[place]
    assert ttft_ms(tokens, points) == pytest.approx(milliseconds)


def test_the_first_token_comes_later_for_a_longer_prompt_and_never_before_the_request():
    times = [ttft_ms(tokens, PLAIN_TTFT) for tokens in (1, 9, 139, 140, 1152, 1154, 2247, 4096)]
    assert all(earlier < later for earlier, later in pairwise(times))
    assert times[0] > 0


@pytest.mark.parametrize("total", [2, 3, 17, 64, 128, 512])
@pytest.mark.parametrize("seed", range(40))
def test_a_request_of_any_length_runs_at_its_pace(total, seed):
    pace = draft_pace(139, DEFAULT, 0, ("dspark", 3))
    assert measured(pace, total, seed) == pytest.approx(126.9, rel=1e-9)
    assert measured(plain_pace(139, DEFAULT, 0), total, seed) == pytest.approx(73.4, rel=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_steps_bring_between_one_token_and_all_candidates_in_order_of_time(seed):
    steps = plan_steps(draft_pace(139, DEFAULT, 0, ("dspark", 3)), 200, seed)
    assert steps[0].tokens == 1
    assert {step.tokens for step in steps} <= {1, 2, 3, 4}
    assert sum(step.tokens for step in steps) == 200
    assert all(earlier.due_s < later.due_s for earlier, later in pairwise(steps))


def test_tokens_a_step_vary_and_are_the_same_for_the_same_prompt():
    pace = draft_pace(139, DEFAULT, 0, ("dspark", 3))
    assert plan_steps(pace, 128, 1) == plan_steps(pace, 128, 1)
    assert plan_steps(pace, 128, 1) != plan_steps(pace, 128, 2)
    assert len({step.tokens for step in plan_steps(pace, 128, 1)}) >= 3


def test_the_mean_tokens_a_step_are_those_of_the_model():
    steps = plan_steps(draft_pace(139, DEFAULT, 0, ("dspark", 3)), 1000, 7)
    assert 999 / (len(steps) - 1) == pytest.approx(tokens_per_step(3), rel=0.005)


def test_prompts_differ_by_at_most_the_spread_and_not_in_the_mean():
    leanings = [prompt_leaning(f"prompt number {number}") for number in range(2000)]
    assert max(map(abs, leanings)) <= 1
    assert abs(sum(leanings) / len(leanings)) < 0.03
    rates = [draft_pace(139, DEFAULT, leaning, ("dspark", 3)).tok_s for leaning in (-1, 1)]
    assert rates == [pytest.approx(126.9 * 0.99), pytest.approx(126.9 * 1.01)]


def test_mtp_and_dflash_keep_the_published_ratios():
    assert draft_pace(66, DEFAULT, 0, ("mtp", 3)).tok_s / 73.4 == pytest.approx(93.2 / 75.6)
    assert draft_pace(66, DEFAULT, 0, ("dflash", 7)).tok_s / 73.4 == pytest.approx(61.5 / 75.6)


def test_knobs_overrule_the_model():
    knobs = knobs_of(
        {"baseline_tok_s": "50", "spec_tok_s": "80", "spec_tok_s_5": "20", "ttft_ms": "300", "spread": "0"}
    )
    assert plain_pace(139, knobs, 1).tok_s == pytest.approx(50)
    assert draft_pace(139, knobs, 1, ("dspark", 3)).tok_s == pytest.approx(80)
    assert draft_pace(139, knobs, 1, ("dspark", 5)).tok_s == pytest.approx(20)
    assert plain_pace(139, knobs, 1).first_s == draft_pace(139, knobs, 1, ("dspark", 3)).first_s == 0.3


def test_a_step_never_accepts_more_than_there_are_candidates():
    pace = draft_pace(139, knobs_of({"accept": "9"}), 0, ("dspark", 3))
    assert max(step.tokens for step in plan_steps(pace, 100, 1)) == 4
    assert measured(pace, 100, 1) == pytest.approx(126.9, rel=0.02)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("tttf_ms", "1", "no knob is called 'tttf_ms'"),
        ("ttft_ms", "soon", "must be a number"),
        ("ttft_ms", "-1", "between 0"),
        ("ttft_ms", "nan", "between 0"),
        ("fail", "sometimes", "It may be: load, load_always, build"),
    ],
)
def test_a_wrong_knob_is_named(name, value, message):
    with pytest.raises(KnobError, match=message):
        knobs_of({name: value})


@pytest.mark.parametrize("content", ["{", "[]", '{"fail": "sometimes"}', '{"nothing": 1}'])
def test_a_broken_file_of_knobs_is_refused(tmp_path, content):
    (tmp_path / "engine.json").write_text(content)
    with pytest.raises(KnobError):
        read_knobs(tmp_path / "engine.json")


def test_without_a_file_every_knob_has_its_default(tmp_path):
    knobs = read_knobs(tmp_path / "absent.json")
    assert (knobs.text("fail"), knobs.number("build_s"), knobs.number("ttft_ms", 7)) == (
        "",
        KNOBS["build_s"].default,
        7,
    )


def test_no_tokens_need_no_steps():
    assert plan_steps(Pace(0.1, 0.01, 1, 1), 0, 1) == []
