"""Reads from a server's declarations which of its tools run as a task, and what it does with its tasks."""

from __future__ import annotations

from enum import StrEnum

from webclient.domain.model import Extension, Json

_TASKS_OF_TOOLS = ("tasks", "requests", "tools", "call")


class TaskSupport(StrEnum):
    """Whether a tool must, may or must not be called as a task (MCP 2025-11-25, Tasks, Tool-Level Negotiation)."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    FORBIDDEN = "forbidden"


def takes_tasks(capabilities: Json | None) -> bool:
    """Return whether the server has declared support for `tools/call` as a task."""
    return _at(capabilities, *_TASKS_OF_TOOLS) is not None


def has_tasks(capabilities: Json | None) -> bool:
    """Return whether calls of the server's tools may run as tasks, in either generation."""
    return takes_tasks(capabilities) or _at(capabilities, "extensions", Extension.TASKS) is not None


def lists_tasks(capabilities: Json | None) -> bool:
    """Return whether the server has declared that it lists its tasks."""
    return _at(capabilities, "tasks", "list") is not None


def task_support(tool: Json | None, capabilities: Json | None) -> TaskSupport:
    """Return whether the client asks for a task when it calls the tool.

    `tool` is the server's, verbatim. Its declaration counts only if the server supports `tools/call` as a task: without
    that a client MUST NOT ask for one, even if the tool declares it.
    """
    if not takes_tasks(capabilities):
        return TaskSupport.FORBIDDEN
    declared = _at(tool, "execution", "taskSupport")
    return TaskSupport(declared) if declared in ("required", "optional") else TaskSupport.FORBIDDEN


def requires_task(tool: Json, capabilities: Json | None) -> bool:
    """Return whether the server refuses the tool unless it is called as a task."""
    return task_support(tool, capabilities) is TaskSupport.REQUIRED


def _at(value: object, *path: str) -> object:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value
