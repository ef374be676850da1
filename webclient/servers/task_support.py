"""Which tools run only as a task, as far as their server declares it."""

from __future__ import annotations

from webclient.model import Json

_TASKS_OF_TOOLS = ("tasks", "requests", "tools", "call")


def takes_tasks(capabilities: Json | None) -> bool:
    """Whether the server has declared that it takes `tools/call` as a task."""
    return _at(capabilities, *_TASKS_OF_TOOLS) is not None


def requires_task(tool: Json, capabilities: Json | None) -> bool:
    """Whether the server refuses the tool unless it is called as a task.

    `tool` is the server's, verbatim. What a tool says of tasks counts only if the server has declared that it takes
    `tools/call` as a task (MCP 2025-11-25, Tasks, Tool-Level Negotiation).
    """
    return takes_tasks(capabilities) and _at(tool, "execution", "taskSupport") == "required"


def _at(value: object, *path: str) -> object:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value
