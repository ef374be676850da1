"""Notes which functions of the changed files each test calls, so that a change is tried with these tests alone."""

from __future__ import annotations

import ast
import json
import sys
import threading
from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

WHOLE = ""
"""The function of a statement outside of all functions: every test that calls any function of the file."""

Function = tuple[str, str]


class Calls:
    """A plugin of pytest that notes the calls into these files while tests run."""

    def __init__(self, files: Collection[Path]) -> None:
        self._files = {str(path.resolve()): str(path) for path in files}
        self._in_test: defaultdict[str, set[Function]] = defaultdict(set)
        self._in_setup: defaultdict[str, set[Function]] = defaultdict(set)
        self._now: set[Function] = set()

    def start(self) -> None:
        """Note calls in all threads from now on."""
        threading.settrace(self._note)
        sys.settrace(self._note)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Attribute the calls of fixtures to all tests of the module."""
        # Some are set up once for all of them.
        self._now = self._in_setup[str(item.path)]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        """Attribute the calls from now on to this test."""
        self._now = self._in_test[item.nodeid]

    def save(self, items: Collection[pytest.Item], path: Path) -> None:
        """Write the functions that each test calls."""
        sys.settrace(None)
        calls = {item.nodeid: sorted(self._in_test[item.nodeid] | self._in_setup[str(item.path)]) for item in items}
        path.write_text(json.dumps(calls), encoding="utf-8")

    def _note(self, frame: FrameType, _event: str, _argument: Any) -> None:
        # Called at each call. Returning nothing means that the lines of the function are not traced.
        if file := self._files.get(frame.f_code.co_filename):
            self._now.update([(file, frame.f_code.co_qualname.partition(".<")[0]), (file, WHOLE)])


def read_calls(path: Path) -> dict[Function, set[str]]:
    """Return the tests by the functions that they call."""
    found: defaultdict[Function, set[str]] = defaultdict(set)
    for test, functions in json.loads(path.read_text(encoding="utf-8")).items():
        for file, name in functions:
            found[file, name].add(test)
    return found


def function_at(text: str, line: int) -> str:
    """Return the qualified name of the outermost function around a line, or `WHOLE`."""
    return next((name for name, first, last in _functions(ast.parse(text), "") if first <= line <= last), WHOLE)


def _functions(body: ast.Module | ast.ClassDef, prefix: str) -> Iterator[tuple[str, int, int]]:
    for node in body.body:
        if isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            # Its decorators and the values of its parameters are outside of it.
            yield f"{prefix}{node.name}", node.body[0].lineno, node.end_lineno or 0
