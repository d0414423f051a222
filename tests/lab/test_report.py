"""A smoke on a simulated host, the next one beside it, gates, and the report of both."""

from __future__ import annotations

import json

import pytest

from tests.lab.commands import Commands

pytestmark = pytest.mark.lab

QUICK = ("--max-tokens", "64")


@pytest.fixture(scope="module")
def spark(lab, commands):
    """A host that serves."""
    host = lab.host("report-01")
    assert commands.json("deploy", host.name, "--no-smoke")["ok"]
    return host


def last_run(commands: Commands) -> dict:
    return commands.json("runs", "-n", "1")["runs"][0]


def test_a_run_is_listed_computed_again_and_written_as_a_page(spark, commands) -> None:
    printed = commands.json("smoke", spark.name, *QUICK)
    listed = last_run(commands)
    assert (listed["name"], listed["kind"], listed["outcome"]) == (printed["run"], "smoke", "faster")
    assert listed["hosts"][0]["simulated"] is True
    page = commands.directory / "report.html"
    again = commands.json("report", "last", "--html", str(page))
    assert (again["hosts"], again["differences"]) == (printed["hosts"], [])
    text = page.read_text()
    assert "SIMULATED" in text
    assert "published by NVIDIA" in text
    assert "measured here (simulated)" in text
    assert "NVIDIA GB10" in text


def test_a_tampered_result_is_found_out(spark, commands) -> None:
    commands.json("smoke", spark.name, *QUICK)
    path = commands.directory / ".edgeops" / "runs" / last_run(commands)["name"] / "smoke.json"
    document = json.loads(path.read_text())
    document["hosts"][0]["workloads"][0]["speedup"]["k3"]["e2e"] = 3.0
    path.write_text(json.dumps(document))
    done = commands.run("report", "last")
    assert done.returncode == 1
    assert "speedup k3 e2e: stored is 3.0" in done.stderr


def test_a_slower_server_is_caught_by_a_gate_on_the_last_one(spark, commands) -> None:
    commands.json("smoke", spark.name, *QUICK, "--gate", "guards?")
    spark.set(spec_tok_s=95)
    try:
        done = commands.run("smoke", spark.name, *QUICK, "--json", "--gate", "e2e>=0.95*last", "--gate", "speedup>=1.1")
    finally:
        spark.set(spec_tok_s="")
    assert done.returncode == 4, done.stderr
    entry = json.loads(done.stdout)["hosts"][0]
    assert [gate["ok"] for gate in entry["gates"]] == [False, True]
    change = entry["regression"]["workloads"][0]["arms"]["k3"]
    assert change["verdict"] == "slower"
    assert change["hi"] < 0.95
    assert "gate e2e>=0.95*last failed" in done.stderr


def test_a_gate_that_is_none_is_usage(spark, commands) -> None:
    done = commands.run("smoke", spark.name, "--gate", "e2e>=fast")
    assert done.returncode == 2
    assert "a number or last is wanted here, not 'fast', at position 6" in done.stderr
