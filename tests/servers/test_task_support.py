"""Which tools are known to run only as a task."""

from __future__ import annotations

import pytest

from webclient.domain.model import Json
from webclient.servers.connections.task_support import TaskSupport, lists_tasks, requires_task, task_support

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
def test_task_support_of_a_tool_needs_the_capability(capabilities: Json | None) -> None:
    assert not requires_task(REQUIRED, capabilities)


@pytest.mark.parametrize(
    ("declared", "support"),
    [
        ("required", TaskSupport.REQUIRED),
        ("optional", TaskSupport.OPTIONAL),
        ("forbidden", TaskSupport.FORBIDDEN),
        ("maybe", TaskSupport.FORBIDDEN),
        (["required"], TaskSupport.FORBIDDEN),
        (None, TaskSupport.FORBIDDEN),
    ],
)
def test_a_tool_says_whether_it_runs_as_a_task(declared: object, support: TaskSupport) -> None:
    """MCP 2025-11-25, Tasks, Tool-Level Negotiation: anything but the three words is "forbidden"."""
    tool = {"name": "t", "execution": {"taskSupport": declared}}
    assert task_support(tool, DECLARED) is support
    assert task_support(tool, {"tasks": {}}) is TaskSupport.FORBIDDEN, "the server has not declared it"


def test_a_server_declares_that_it_lists_tasks() -> None:
    assert lists_tasks({"tasks": {"list": {}}})
    assert not lists_tasks(DECLARED)
