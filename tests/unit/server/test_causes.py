"""The likely cause is read from the server's own last lines."""

from __future__ import annotations

import pytest

from edgeops.server.causes import likely_cause


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (
            "ERROR: [Errno 98] error while attempting to bind on address ('0.0.0.0', 8000): address already in use",
            "port",
        ),
        ("ValueError: dspark num_speculative_tokens must be within the compiled proposal capacity [1, 7]", "block"),
        ("TensorRT prerequisite error: TensorRT Python bindings are required before checkpoint download", "TensorRT"),
        ("NativeDetectionError: Cannot identify a supported platform from system release markers.", "payload"),
        ("RuntimeError: CUDA error: out of memory", "memory"),
        ("OSError: [Errno 28] No space left on device", "disk"),
    ],
)
def test_a_known_line_gives_its_cause_and_a_remedy(line: str, word: str) -> None:
    cause = likely_cause(["INFO something", line, "INFO shutting down"])
    assert word in cause.sentence
    assert cause.remedy
    assert line in str(cause)


def test_an_unknown_error_is_quoted() -> None:
    assert "frobnicator jammed" in str(likely_cause(["INFO a", "RuntimeError: frobnicator jammed", "bye"]))


def test_without_any_line_the_exit_status_speaks() -> None:
    assert "exit 3" in likely_cause([], "3").sentence
    assert "unknown" in likely_cause([]).sentence
