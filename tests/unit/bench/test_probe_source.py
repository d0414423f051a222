"""The probe runs on hosts that have Python 3.8 and nothing of ours."""

from __future__ import annotations

import ast
import sys

from edgeops.smoke.local import PROBE

SOURCE = PROBE.read_text(encoding="utf-8")


def test_the_probe_is_written_in_the_oldest_python_that_hosts_have() -> None:
    assert ast.parse(SOURCE, feature_version=(3, 8)).body


def test_the_probe_imports_the_standard_library_only() -> None:
    nodes = [node for node in ast.walk(ast.parse(SOURCE)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    assert names <= set(sys.stdlib_module_names)
    assert "socket" in names
