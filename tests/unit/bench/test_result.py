"""From records to the document of one host."""

from __future__ import annotations

import json

import pytest

from edgeops.bench import record_lines
from edgeops.bench.records import Event, Records, Request, Step, Usage
from edgeops.bench.result import host_result
from tests.unit.bench.arms import answer, benchmark, failed, records_of
from tests.unit.bench.traces import request as trace

ARM_KEYS = {
    "requests",
    "failed",
    "ttft_ms",
    "ttfa_ms",
    "decode_tok_s",
    "tpot_ms",
    "e2e_tok_s",
    "tokens_per_event",
    "tokens_per_step",
    "prompt_tokens",
    "output_tokens",
    "decode_upper_bound",
}
DISTRIBUTIONS = ("ttft_ms", "decode_tok_s", "tpot_ms", "e2e_tok_s", "prompt_tokens", "output_tokens")


def k3(requests: tuple[Request, ...]) -> dict:
    arms = host_result(records_of(requests))["workloads"][0]["arms"]
    return arms["k3"]


def test_the_document_has_the_promised_shape() -> None:
    host = host_result(records_of(benchmark()))
    assert set(host) == {"host", "simulated", "server", "workloads", "guards", "verdict", "records"}
    assert set(host["server"]) == {"model", "version", "speculative_method", "baseline_kind"}
    workload = host["workloads"][0]
    assert list(workload["arms"]) == ["baseline", "k3"]
    assert set(workload["arms"]["k3"]) == ARM_KEYS
    assert set(workload["arms"]["k3"]["ttft_ms"]) == {"n", "mean", "p50", "p90", "p95", "p99", "min", "max"}
    assert set(workload["speedup"]["k3"]) == {"e2e", "lo", "hi", "verdict", "reason"}
    assert all(set(guard) == {"id", "ok", "detail"} for guard in host["guards"])


def test_a_faster_arm_is_found_faster_by_the_right_factor() -> None:
    host = host_result(records_of(benchmark()))
    speedup = host["workloads"][0]["speedup"]["k3"]
    assert host["verdict"] == speedup["verdict"] == "faster"
    assert speedup["lo"] < speedup["e2e"] < speedup["hi"]
    assert speedup["e2e"] == pytest.approx(115 / 70, rel=0.01)


def test_a_slower_arm_is_slower() -> None:
    assert host_result(records_of(benchmark({"baseline": 70.0, "k3": 60.0})))["verdict"] == "slower"


def test_two_percent_are_never_faster() -> None:
    assert host_result(records_of(benchmark({"baseline": 70.0, "k3": 71.4})))["verdict"] != "faster"


def test_failed_requests_are_counted_by_reason_and_give_no_figure() -> None:
    arm = k3((*benchmark(), failed("k3", "x"), failed("k3", "y")))
    assert (arm["requests"], arm["failed"]) == (8, {"http_429": 2})
    assert arm["ttft_ms"]["n"] == 6


def test_an_arm_that_failed_throughout_has_no_distribution_and_no_verdict() -> None:
    baseline = tuple(request for request in benchmark() if request.step.arm == "baseline")
    host = host_result(records_of((*baseline, *(failed("k3", prompt) for prompt in "abcdef"))))
    arm = host["workloads"][0]["arms"]["k3"]
    assert (arm["requests"], arm["failed"]) == (6, {"http_429": 6})
    assert [arm[name] for name in DISTRIBUTIONS] == [None] * 6
    assert host["verdict"] == "inconclusive"
    assert host["workloads"][0]["speedup"]["k3"]["e2e"] is None


def test_without_a_counting_pass_decode_figures_are_upper_bounds() -> None:
    assert k3(benchmark())["decode_upper_bound"] is True
    assert k3(benchmark())["tokens_per_step"] is None


def test_the_counting_pass_gives_the_first_events_tokens() -> None:
    timed = trace("bundled")
    alone = k3((timed,))
    counted = k3((timed, trace("bundled", counting=True)))
    assert (alone["decode_tok_s"]["p50"], alone["decode_upper_bound"]) == (pytest.approx(125), True)
    assert (counted["decode_tok_s"]["p50"], counted["decode_upper_bound"]) == (pytest.approx(100), False)
    assert counted["tokens_per_step"] == 3.0


def test_answers_that_stopped_do_not_count_for_decoding_beside_full_ones() -> None:
    counted = (trace("plain", counting=True), trace("end_token", counting=True))
    arm = k3((trace("plain"), trace("end_token"), *counted))
    assert (arm["decode_tok_s"]["n"], arm["decode_tok_s"]["max"]) == (1, pytest.approx(50))
    assert arm["output_tokens"]["n"] == 2
    assert arm["decode_upper_bound"] is False


def test_answers_that_all_stopped_give_an_upper_bound() -> None:
    arm = k3((trace("end_token"), trace("end_token", counting=True)))
    assert (arm["decode_tok_s"]["p50"], arm["decode_upper_bound"]) == (pytest.approx(57.143, abs=1e-3), True)


def test_the_time_to_the_answer_is_told_only_when_the_model_thinks() -> None:
    assert k3(benchmark())["ttfa_ms"] is None
    thinking = k3((trace("thinking"),))
    assert (thinking["ttft_ms"]["p50"], thinking["ttfa_ms"]["p50"]) == (240, 300)


def test_a_figure_that_no_request_gives_is_a_distribution_of_nothing() -> None:
    arm = k3((trace("one_event"), trace("one_event", counting=True)))
    assert arm["decode_tok_s"]["n"] == 0
    assert arm["decode_tok_s"]["p50"] is None
    assert arm["e2e_tok_s"]["n"] == 1


def test_one_arm_has_no_speed_up_and_says_why() -> None:
    requests = tuple(request for request in benchmark() if request.step.arm == "baseline")
    host = host_result(records_of(requests, arms=("baseline",), one_arm_because="one arm only: it is plain"))
    assert host["workloads"][0]["speedup"] == {}
    assert host["verdict"] == "inconclusive"
    assert host["guards"] == [{"id": "arms", "ok": False, "detail": "one arm only: it is plain"}]


def test_a_pair_with_one_failed_half_does_not_count() -> None:
    lucky = answer("baseline", "x", 10.0)
    whole = host_result(records_of(benchmark()))["workloads"][0]["speedup"]["k3"]
    with_half = host_result(records_of((*benchmark(), lucky, failed("k3", "x"))))["workloads"][0]["speedup"]["k3"]
    assert with_half["e2e"] == whole["e2e"]


def test_records_survive_being_written_and_read() -> None:
    whole = records_of((*benchmark(), trace("thinking"), failed("k3", "x")))
    assert whole.header is not None
    lines = [json.dumps(record_lines.write_line(record)) for record in (whole.header, *whole.requests)]
    again = record_lines.read(lines)
    assert again.complaints == ()
    assert host_result(again) == host_result(whole)


def test_records_without_a_run_are_refused_in_a_sentence() -> None:
    with pytest.raises(ValueError, match="cut off before anything was measured"):
        host_result(Records())


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        "[]",
        "{}",
        '{"kind": "request"}',
        '{"kind": ["x"]}',
        '{"kind": "request", "step": {"phase": "lunch", "arm": "k3"}}',
        '{"kind": "request", "step": {"phase": "timed", "arm": "k3"}, "events": [{"t": -5}]}',
        '{"kind": "request", "step": {"phase": "timed", "arm": "k3"}, "events": [{"t": 1e400}]}',
        '{"kind": "run", "schema": "edgeops.records/9", "run": "r", "arms": [], "workloads": []}',
        "[" * 100_000,
    ],
)
def test_a_malformed_line_is_left_out_with_a_sentence(line: str) -> None:
    good = json.dumps(record_lines.write_line(benchmark()[0]))
    found = record_lines.read([line, good])
    assert len(found.requests) == 1
    assert len(found.complaints) == 1
    assert found.complaints[0].startswith("line 1 was left out: ")


def test_figures_of_the_largest_numbers_a_record_may_hold_do_not_overflow() -> None:
    big = Event(t=10**18, content=10**9, finish="length", usage=Usage(completion_tokens=10**9))
    huge = Request(step=Step(phase="timed", arm="k3", workload="chat"), status=200, events=(big, Event(t=1, done=True)))
    assert k3((huge,))["e2e_tok_s"]["n"] == 1
