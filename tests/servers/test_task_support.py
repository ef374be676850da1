"""Which tools are known to run only as a task."""

from __future__ import annotations

import pytest

from webclient.model import Json
from webclient.servers.task_support import requires_task

DECLARED: Json = {"tasks": {"requests": {"tools": {"call": {}}}}}
REQUIRED: Json = {"name": "t", "execution": {"taskSupport": "required"}}


def test_a_tool_that_requires_a_task_is_recognised() -> None:
    assert requires_task(REQUIRED, DECLARED)


@pytest.mark.parametrize("support", ["optional", "forbidden", None, {"required": True}])
def test_any_other_tool_runs_without_a_task(support: object) -> None:
    assert not requires_task({"name": "t", "execution": {"taskSupport": support}}, DECLARED)


@pytest.mark.parametrize("tool", [{}, {"execution": None}, {"execution": "required"}])
def test_an_odd_tool_requires_no_task(tool: Json) -> None:
    assert not requires_task(tool, DECLARED)


@pytest.mark.parametrize("capabilities", [None, {}, {"tasks": {}}, {"tasks": {"requests": {"tools": []}}}])
def test_what_a_tool_says_of_tasks_needs_the_capability(capabilities: Json | None) -> None:
    assert not requires_task(REQUIRED, capabilities)
