"""Prompts that come with edgeops, and files that readers already have."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from edgeops.bench.procedure import Course, Sizes, Target, in_turns, measure_plan, nonces
from edgeops.bench.workload import NAMED, known_answers, open_workload, open_workloads
from edgeops.errors import ConfigurationError
from edgeops.lab.scripted.words import prompt_token_count

HUMAN_EVAL = {
    "task_id": "HumanEval/0",
    "prompt": "def f():\n",
    "entry_point": "f",
    "canonical_solution": "    return 1\n",
    "test": "def check(candidate):\n    assert candidate() == 1\n",
}


def file(directory: Path, *entries: Any, name: str = "mine.jsonl") -> str:
    path = directory / name
    path.write_text("\n".join(e if isinstance(e, str) else json.dumps(e) for e in entries) + "\n", encoding="utf-8")
    return str(path)


def test_chat_has_six_prompts_of_three_classes_and_about_one_size() -> None:
    prompts = open_workload("chat").prompts
    sizes = [len(prompt.messages[0]["content"]) for prompt in prompts]
    assert len(prompts) >= 6
    assert len({prompt.content_class for prompt in prompts}) >= 3
    assert max(sizes) <= 1.2 * min(sizes)


@pytest.mark.parametrize(("name", "tokens"), [("1k", 1150), ("2k", 2250)])
def test_long_inputs_are_as_long_as_they_are_called(name: str, tokens: int) -> None:
    """As the lab's server counts: with the nonce in front of them."""
    prompts = open_workload(name).prompts
    counted = [prompt_token_count("01234567\n" + prompt.messages[0]["content"]) for prompt in prompts]
    assert {prompt.content_class for prompt in prompts} == {"code", "prose", "structured"}
    assert len(prompts) >= 6
    assert all(0.97 * tokens <= count <= 1.01 * tokens for count in counted)


def test_the_names_of_workloads_are_those_of_the_files_that_come_with_edgeops() -> None:
    assert [open_workload(name).name for name in NAMED] == list(NAMED)


def test_several_workloads_come_with_the_short_prompts_first() -> None:
    assert [workload.name for workload in open_workloads("2k, chat,1k")] == ["chat", "1k", "2k"]


def test_a_file_whose_name_holds_a_comma_is_one_workload(tmp_path: Path) -> None:
    assert [w.name for w in open_workloads(file(tmp_path, {"prompt": "x"}, name="a,b.jsonl"))] == ["a,b"]


@pytest.mark.parametrize(
    ("text", "sentence"), [("chat,chat", "named twice"), (",", "no workload"), ("chat,no", "'no'")]
)
def test_workloads_that_are_none_are_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        open_workloads(text)


def test_questions_with_known_answers_have_answers() -> None:
    assert len(known_answers()) >= 3
    assert all(prompt.expect for prompt in known_answers())


def test_a_file_of_prompts_and_messages_is_read(tmp_path: Path) -> None:
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    read = open_workload(file(tmp_path, {"prompt": "one"}, {"messages": messages, "id": "two", "class": "code"}))
    assert [prompt.id for prompt in read.prompts] == ["line-1", "two"]
    assert read.prompts[0].messages == ({"role": "user", "content": "one"},)
    assert (list(read.prompts[1].messages), read.prompts[1].content_class) == (messages, "code")
    assert read.name == "mine"


SHAPES: dict[str, dict[str, Any]] = {
    "vLLM, HumanEval": {"prompt": "x"},
    "AIPerf, one text": {"text": "x"},
    "AIPerf, the older name": {"text_input": "x", "output_length": 128},
    "AIPerf, several texts": {"texts": ["x", "y"]},
    "AIPerf, texts with names": {"type": "single_turn", "texts": [{"name": "text_field_a", "contents": ["x", "y"]}]},
    "AIPerf, several turns": {"session_id": "s", "turns": [{"text": "x", "delay": 0}, {"text": "y", "delay": 1000}]},
    "ShareGPT": {"id": "s", "conversations": [{"from": "gpt", "value": "-"}, {"from": "human", "value": "x"}]},
    "GuideLLM, a data set's column": {"question": "x", "output_tokens_count": 128},
    "OpenAI": {"messages": [{"role": "user", "content": "x"}]},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_prompts_are_read_in_the_shapes_of_other_tools(tmp_path: Path, shape: str) -> None:
    assert open_workload(file(tmp_path, SHAPES[shape])).prompts[0].messages == ({"role": "user", "content": "x"},)


def test_one_json_array_is_read_like_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "sharegpt.json"
    path.write_text(json.dumps([SHAPES["ShareGPT"], {**SHAPES["ShareGPT"], "id": "t"}], indent=1))
    assert [prompt.id for prompt in open_workload(str(path)).prompts] == ["s", "t"]


def test_a_bad_entry_of_an_array_is_named_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps([{"prompt": "x"}, {"conversations": "x"}]))
    with pytest.raises(ConfigurationError, match=r"mine\.json:2: conversations is not a list"):
        open_workload(str(path))


@pytest.mark.parametrize("packed", [False, True])
def test_human_evals_file_is_read_as_published(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / ("HumanEval.jsonl.gz" if packed else "HumanEval.jsonl")
    data = (json.dumps(HUMAN_EVAL) + "\n").encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    read = open_workload(str(path))
    assert read.name == "HumanEval"
    assert (read.prompts[0].id, read.prompts[0].messages[0]["content"]) == ("HumanEval/0", "def f():\n")


BAD = {
    "not json": ("{", r"mine.jsonl:2: not JSON"),
    "a list": ("[]", r"mine.jsonl:2: not a JSON object"),
    "no prompt": ({"answer": "x"}, r":2: neither a prompt nor messages"),
    "an empty prompt": ({"prompt": " "}, r":2: neither a prompt nor messages"),
    "messages of texts": ({"messages": ["x"]}, r":2: messages is not a list of objects"),
    "turns of texts": ({"turns": ["x"]}, r":2: turns is not a list of objects"),
    "texts of nothing": ({"texts": [{"name": "x"}]}, r":2: neither a prompt"),
    "nothing said": ({"messages": [{"role": "system", "content": "s"}]}, r":2: messages holds nothing"),
    "expect of a text": ({"prompt": "x", "expect": "y"}, r":2: expect is not a list"),
    "expect of a number": ({"prompt": "x", "expect": 4}, r":2: expect is not a list"),
    "the same id": ({"prompt": "x", "id": "line-1"}, r":2: a second prompt"),
    "too deep": ("[" * 100_000, r":2: not JSON"),
}


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_line_is_named_with_file_and_line(tmp_path: Path, fault: str) -> None:
    entry, sentence = BAD[fault]
    with pytest.raises(ConfigurationError, match=sentence):
        open_workload(file(tmp_path, {"prompt": "good"}, entry))


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xff\xfe\x00", b"\x1f\x8bnot gzip", gzip.compress(b"x")[:-9]])
def test_a_file_that_is_no_text_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"mine\.jsonl"):
        open_workload(str(path))


def test_an_unknown_name_says_which_are_known() -> None:
    with pytest.raises(ConfigurationError, match="chat"):
        open_workload("chta")


def test_every_second_block_goes_backwards() -> None:
    prompts = open_workload("chat").prompts[:2]
    order = [arm for arm, _, _ in in_turns(("baseline", "k3"), prompts, 2)]
    assert order == ["baseline", "k3", "k3", "baseline"] * 2
    blocks = [(prompt.id, block) for _, prompt, block in in_turns(("baseline", "k3"), prompts, 1)]
    assert blocks == [(prompts[0].id, 0)] * 2 + [(prompts[1].id, 0)] * 2


def test_nonces_are_eight_digits_and_unique() -> None:
    some = nonces()
    drawn = [next(some) for _ in range(500)]
    assert len(set(drawn)) == 500
    assert all(len(nonce) == 8 and nonce.isdigit() for nonce in drawn)


def course() -> Course:
    return Course("m", ("baseline", "k3"), (open_workload("chat"),), known_answers())


def test_a_readers_prompt_is_never_taken_for_a_question_with_a_known_answer(tmp_path: Path) -> None:
    mine = open_workload(file(tmp_path, {"id": "sum", "prompt": "mine"}, {"id": "capital", "prompt": "mine too"}))
    plan = measure_plan(Target("127.0.0.1", 1), Sizes(), Course("m", ("baseline",), (mine,), known_answers()))
    assert plan["prompts"]["asked:mine:sum"][0]["content"] == "mine"
    assert len(plan["prompts"]) == 2 + len(known_answers())


def test_only_the_counting_pass_asks_for_logprobs() -> None:
    steps = list(course().steps(Sizes(repeat=2), nonces()))
    asking = {step["phase"] for step in steps if "logprobs" in step.get("fields", {})}
    assert asking == {"counting"}
    assert sum(1 for step in steps if step["phase"] == "timed") == 24


def test_no_two_measured_requests_share_a_nonce() -> None:
    steps = list(course().steps(Sizes(repeat=3), nonces()))
    used = [n for step in steps for n in step.get("nonces", [step.get("nonce")]) if n]
    assert len(used) == len(set(used)) > 40


def test_no_warm_up_is_sent_when_none_is_wanted() -> None:
    assert "warmup" not in {step["phase"] for step in course().steps(Sizes(warmup=0), nonces())}


def test_each_workload_is_warmed_up_measured_counted_and_asked_for_known_answers() -> None:
    course = Course("m", ("baseline", "k3"), open_workloads("chat,1k"), known_answers())
    steps = list(course.steps(Sizes(), nonces()))
    order = [(step["workload"], step["phase"]) for step in steps]
    assert list(dict.fromkeys(order)) == [
        (name, phase) for name in ("chat", "1k") for phase in ("warmup", "timed", "counting", "known")
    ]
    assert {step["key"] for step in steps} == set(course.prompts())


def test_two_workloads_may_use_the_same_ids(tmp_path: Path) -> None:
    both = open_workloads(
        f"{file(tmp_path, {'prompt': 'a'}, name='a.jsonl')},{file(tmp_path, {'prompt': 'bb'}, name='b.jsonl')}"
    )
    prompts = Course("m", ("baseline",), both, ()).prompts()
    assert [messages[0]["content"] for messages in prompts.values()] == ["a", "bb"]


def test_a_server_that_knows_only_the_newer_limit_gets_it() -> None:
    plan = measure_plan(Target("127.0.0.1", 1), Sizes(), replace(course(), refused=("max_tokens", "reuse_context")))
    assert plan["renamed"] == {"max_tokens": "max_completion_tokens"}
    assert plan["fields"]["max_tokens"] == 128
    assert "reuse_context" not in plan["fields"]


def test_only_a_machine_with_a_memory_floor_is_watched() -> None:
    plan = measure_plan(Target("127.0.0.1", 1), Sizes(), replace(course(), memory_floor_gib=4.0))
    assert plan["sampling"]["floor_kib"] == 4 * 1024**2
    assert measure_plan(Target("127.0.0.1", 1), Sizes(), course())["sampling"] is None
