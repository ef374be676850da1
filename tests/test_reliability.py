"""docs/reliability.md names a test for every fault: one that is there, runs, and asserts an outcome.

That it injects the fault of its row is for its reader: no check can know that.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict

import pytest

from tests.mcp_servers import ROOT

TEXT = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(test_\w+)`", TEXT)))

Test = ast.FunctionDef | ast.AsyncFunctionDef

ASSERTING = re.compile(r"raises|expect|wait_for|in_state|connected|delivered|ended|until|assert", re.IGNORECASE)
"""Calls that fail a test if an outcome does not come, besides `assert`: of pytest, Playwright and our helpers."""


@pytest.fixture(scope="module")
def tests() -> dict[str, list[Test]]:
    """The tests that are named, by name."""
    found = defaultdict(list)
    for path in (ROOT / "tests").rglob("test_*.py"):
        source = path.read_text(encoding="utf-8")
        if any(f"def {name}(" in source for name in NAMED):
            for test in ast.parse(source).body:
                if isinstance(test, Test) and test.name in NAMED:
                    found[test.name].append(test)
    return found


def test_every_fault_names_a_test() -> None:
    tables = re.findall(r"^\| fault .*\n(?:\|.*\n)+", TEXT, re.MULTILINE)
    rows = [row for table in tables for row in table.splitlines()[2:]]
    assert len(rows) > 25
    assert [row for row in rows if not re.search(r"`test_\w+` \|$", row)] == []


def test_each_named_test_is_one_that_runs_and_asserts(tests: dict[str, list[Test]]) -> None:
    # A name that two tests have would not say which of them is meant.
    assert [name for name in NAMED if len(tests[name]) != 1] == []
    assert [name for name in NAMED if any(map(_is_left_out, tests[name]))] == []
    assert [name for name in NAMED if not any(map(_asserts, tests[name]))] == []


def _is_left_out(test: Test) -> bool:
    return any(re.search(r"\b(skip|skipif|xfail)\b", ast.unparse(each)) for each in test.decorator_list)


def _asserts(test: Test) -> bool:
    return any(map(_can_fail, ast.walk(test)))


def _can_fail(node: ast.AST) -> bool:
    return isinstance(node, ast.Assert) or (isinstance(node, ast.Call) and bool(ASSERTING.search(_called(node.func))))


def _called(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
