"""Runs on the host itself, with nothing but the standard library: waits for a server, and questions it.

``edgeops.server`` sends this file over standard input together with a plan and reads one JSON object per line. It
judges nothing: it reports what systemd, the journal and the server said.
"""

import http.client
import json
import subprocess
import sys
import time
from typing import Any

Plan = dict[str, Any]

PROPERTIES = "ActiveState,SubState,MainPID,NRestarts,Result,ExecMainStatus,ExecMainCode,InvocationID"


def say(event: str, **details: Any) -> None:
    sys.stdout.write(json.dumps(dict(details, event=event)) + "\n")
    sys.stdout.flush()


def ask(plan: Plan, method: str, path: str, body: str | None = None, timeout: float = 10.0) -> tuple[int, str]:
    """(status, text) of one request, or (0, reason) where no answer came."""
    connection = http.client.HTTPConnection(plan["address"], plan["port"], timeout=timeout)
    try:
        connection.request(method, path, body, headers(plan, body))
        response = connection.getresponse()
        return response.status, response.read().decode("utf-8", "replace")
    except (OSError, http.client.HTTPException) as error:
        return 0, f"{type(error).__name__}: {error}"
    finally:
        connection.close()


def headers(plan: Plan, body: str | None) -> dict[str, str]:
    given = {}
    if plan.get("key_file"):
        with open(plan["key_file"], encoding="utf-8") as file:
            given["Authorization"] = "Bearer " + file.read().strip()
    if body is not None:
        given["Content-Type"] = "application/json"
    return given


def unit_state(unit: str) -> dict[str, str]:
    answer = subprocess.run(["systemctl", "show", unit, "-p", PROPERTIES], stdout=subprocess.PIPE, check=False)
    return dict(line.split("=", 1) for line in answer.stdout.decode("utf-8", "replace").splitlines() if "=" in line)


def journal(unit: str, invocation: str, lines: int) -> list[str]:
    """The last lines of this start of the unit; of the last minute where systemd has given it no name."""
    found = journal_lines([f"_SYSTEMD_INVOCATION_ID={invocation}"], lines) if invocation else []
    return found or journal_lines(["-u", unit, "--since", "-60s"], lines)


def journal_lines(which: list[str], lines: int) -> list[str]:
    words = ["journalctl", "-q", "-o", "cat", "--no-pager", "-n", str(lines), *which]
    answer = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return [line for line in answer.stdout.decode("utf-8", "replace").splitlines() if line.strip()]


def is_dead(state: dict[str, str], began: str) -> bool:
    """Ended, or ended and about to be started again by systemd."""
    if state.get("ActiveState") in ("failed", "inactive", "deactivating") or state.get("SubState") == "auto-restart":
        return True
    return state.get("InvocationID") != began


def wait(plan: Plan) -> None:
    """Until the server of ``plan["unit"]`` answers on its port, dies, or ``plan["timeout"]`` seconds have passed."""
    until = time.monotonic() + plan["timeout"]
    began, told = unit_state(plan["unit"]).get("InvocationID", ""), ""
    while True:
        state = unit_state(plan["unit"])
        if is_dead(state, began):
            return say("died", unit=state, log=journal(plan["unit"], began, 60))
        status, text = ask(plan, "GET", "/health/ready")
        if status == 200:
            return say("ready", unit=state, answer=text)
        last = journal(plan["unit"], began, 1)
        if last and last[0] != told:
            told = last[0]
            say("progress", line=told)
        if time.monotonic() > until:
            return say("timeout", unit=state, log=journal(plan["unit"], began, 60), answer=text)
        time.sleep(0.25)


def stream(plan: Plan) -> dict[str, Any]:
    """One streamed greedy generation: what came back, as it came."""
    connection = http.client.HTTPConnection(plan["address"], plan["port"], timeout=plan["timeout"])
    body = json.dumps(plan["request"])
    until = time.monotonic() + plan["timeout"]
    events: list[str] = []
    error, status = "", 0
    try:
        connection.request("POST", "/v1/chat/completions", body, headers(plan, body))
        response = connection.getresponse()
        status = response.status
        if status != 200:
            error = response.read().decode("utf-8", "replace")
        for line in response if status == 200 else ():
            if line.startswith(b"data:"):
                events.append(line[5:].decode("utf-8", "replace").strip())
            if time.monotonic() > until:
                error = "not finished after {:g} s".format(plan["timeout"])
                break
    except (OSError, http.client.HTTPException) as reason:
        error = f"{type(reason).__name__}: {reason}"
    finally:
        connection.close()
    return {"status": status, "events": events, "error": error}


def question(plan: Plan) -> None:
    """Health, model list and one generation."""
    generation = stream(plan)
    say("answers", health=ask(plan, "GET", "/health"), models=ask(plan, "GET", "/v1/models"), generation=generation)


def health(plan: Plan) -> None:
    """What the server says of itself, and nothing that costs it anything. One that does not answer is asked once."""
    ready = ask(plan, "GET", "/health/ready", timeout=plan["timeout"])
    more = ("/health", "/v1/models") if ready[0] else ()
    told = [ask(plan, "GET", path, timeout=plan["timeout"]) for path in more]
    say("health", ready=ready, health=told[0] if told else None, models=told[1] if told else None)


if __name__ == "__main__":
    given = globals()["PLAN"]
    verbs = {"wait": wait, "question": question, "health": health}
    verbs[given["verb"]](given)
