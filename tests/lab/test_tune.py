"""``edgeops tune`` against a scripted engine whose best setting is known."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.lab.test_trial import command_line

pytestmark = pytest.mark.lab

QUICK = ("--max-tokens", "48", "--json")
SPEED = {"baseline_tok_s": 150, "ttft_ms": 20, "spread": 0}


@pytest.fixture(scope="module")
def spark(lab, commands):
    host = lab.host("tune-01")
    host.set(**SPEED)
    commands.json("deploy", host.name, "--no-smoke")
    return host


@pytest.fixture
def inventory(spark, commands) -> Iterator[str]:
    """A line with a comment in the lab's inventory, for the host alone; the text is put back afterwards."""
    path = commands.directory / ".edgeops" / "lab" / "inventory.yml"
    before = path.read_text()
    path.write_text(
        before.replace(f"        {spark.name}:\n", f"        {spark.name}:  # the desk\n          k: 3  # June\n")
    )
    yield path.read_text()
    path.write_text(before)
    assert commands.run("deploy", spark.name, "--no-smoke").returncode == 0


def now(commands) -> str:
    return (commands.directory / ".edgeops" / "lab" / "inventory.yml").read_text()


def tuned(ran) -> dict:
    (host,) = json.loads(ran.stdout)["hosts"]
    return host


def kept(host) -> dict:
    return json.loads(host.said("cat /var/lib/edgeops/tuning.json"))


def test_the_best_k_is_written_with_all_comments_kept_and_served(spark, inventory, commands) -> None:
    spark.set(spec_tok_s_1=270, spec_tok_s_3=220, spec_tok_s_5=180)
    ran = commands.run("tune", spark.name, "--k", "0,1,3,5", "--apply", *QUICK)
    assert ran.returncode == 0, ran.stderr
    host = tuned(ran)
    assert (host["choice"]["answer"], host["choice"]["k"]) == ("use", 1), host["choice"]
    assert host["write"]["lines"] == ["k: 1"]
    assert host["applied"].endswith("deployed")
    assert now(commands) == inventory.replace("k: 3  # June", "k: 1  # June")
    assert '"num_speculative_tokens":1' in command_line(spark)
    record = kept(spark)
    assert (record["method"], record["k"], record["run"]) == ("dspark", 1, json.loads(ran.stdout)["run"])
    assert None not in record["fingerprint"].values()
    again = tuned(commands.run("tune", spark.name, "--k", "0,1,3", "--apply", *QUICK))
    assert (again["choice"]["k"], again["write"], again["applied"]) == (
        1,
        None,
        "nothing is written: it has this setting",
    )


def test_speculation_that_is_slower_end_to_end_is_to_be_turned_off_and_nothing_is_touched(
    spark, inventory, commands
) -> None:
    """Better between tokens, worse over the whole answer."""
    spark.set(spec_tok_s_1="", spec_tok_s_3="", spec_tok_s_5="", spec_tok_s=170, spec_ttft_ms=200)
    before = command_line(spark)
    try:
        ran = commands.run("tune", spark.name, "--k", "1,3", *QUICK)
    finally:
        spark.set(spec_tok_s="", spec_ttft_ms="")
    host = tuned(ran)
    assert ran.returncode == 0
    assert (host["choice"]["answer"], host["write"]["lines"]) == ("off", ["method: off"]), host["choice"]
    arms = host["sweeps"][0]["workloads"][0]["arms"]
    assert arms["k3"]["tpot_ms"]["mean"] < arms["baseline"]["tpot_ms"]["mean"]
    assert host["applied"] is None
    assert (now(commands), command_line(spark)) == (inventory, before)
    assert kept(spark)["method"] == "off"


def test_a_gain_of_two_percent_is_never_taken_for_one(spark, inventory, commands) -> None:
    spark.set(spec_tok_s=153.5)
    try:
        host = tuned(commands.run("tune", spark.name, "--k", "1,3", "--apply", *QUICK))
    finally:
        spark.set(spec_tok_s="")
    assert host["choice"]["answer"] in ("off", "inconclusive"), host["choice"]
    if host["choice"]["answer"] == "inconclusive":
        assert (now(commands), host["write"]) == (inventory, None)
        assert host["applied"] == "nothing is written: no decision"
    else:
        assert "method: off" in now(commands)


def test_a_method_is_chosen_with_its_k_and_one_without_a_draft_on_the_host_is_left_out(
    spark, inventory, commands
) -> None:
    spark.set(spec_tok_s_2=330, spec_tok_s_3=200)
    try:
        ran = commands.run("tune", spark.name, "--k", "2,3", "--methods", "dspark,dflash", *QUICK)
    finally:
        spark.set(spec_tok_s_2="", spec_tok_s_3="")
    host = tuned(ran)
    assert ran.returncode == 0, ran.stderr
    assert (host["choice"]["method"], host["choice"]["k"]) == ("dspark", 2)
    dflash = host["sweeps"][1]["workloads"][0]["speedup"]
    assert {one["possible"] for one in dflash.values()} == {False}
    assert "there is no checkpoint" in dflash["k3"]["reason"]


def test_the_table_for_people_marks_what_runs_and_says_what_to_write(spark, inventory, commands) -> None:
    spark.set(spec_tok_s_1=270, spec_tok_s_3=200)
    try:
        ran = commands.run("tune", spark.name, "--k", "1,3", "--max-tokens", "48")
    finally:
        spark.set(spec_tok_s_1="", spec_tok_s_3="")
    assert ran.returncode == 0, ran.stderr
    assert "SIMULATED" in ran.stdout
    assert "dspark k=3  (runs)" in ran.stdout
    assert "Choice: dspark with k=1" in ran.stdout
    assert f"Write: `k: 1` below {spark.name}, in " in ran.stdout
    assert "The host: production serves again, verified: dspark with k=3" in ran.stdout
    page = commands.directory / "page.html"
    again = commands.run("report", "last", "--html", str(page))
    assert again.returncode == 0, again.stderr
    assert "Choice: dspark with k=1" in again.stdout
    assert "k1" in page.read_text()
