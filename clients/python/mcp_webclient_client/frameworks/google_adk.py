"""Google ADK: with `Agent(..., **approvals(inbox))`, a person decides before a tool runs. The run waits meanwhile.

By default this covers every tool; pass names to cover only some.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from mcp_webclient_client.frameworks.calls import CAN, Call, decision_on, with_note
from mcp_webclient_client.inbox import Inbox


def approvals(inbox: Inbox, tools: Collection[str] | None = None) -> dict[str, Any]:
    """Return the callbacks of an agent. A later callback that changes arguments would undo the decision."""
    notes: dict[str, str] = {}

    async def before(tool: Any, args: dict[str, Any], tool_context: Any) -> dict[str, Any] | None:
        if tools is not None and tool.name not in tools:
            return None
        call_id = tool_context.function_call_id
        call = Call(_listed(tool), dict(args), call_id)
        decision = await decision_on(inbox, call, CAN["Google ADK"].verbs)
        if decision.arguments is None:
            return {"result" if decision.verb == "respond" else "error": decision.words}
        notes[call_id] = call.note(decision)
        args.clear()
        args.update(decision.arguments)
        return None

    async def after(tool: Any, args: dict[str, Any], tool_context: Any, tool_response: Any) -> Any:
        del tool, args
        note = notes.pop(tool_context.function_call_id, "")
        return with_note(note, tool_response) if note else None

    return {"before_tool_callback": before, "after_tool_callback": after}


def _listed(tool: Any) -> dict[str, Any]:
    """Return a tool as MCP lists it, with its schema if the framework declares one to models."""
    listed = {"name": tool.name, "description": tool.description}
    # Not public, and what the framework itself calls for each request to a model.
    declared = tool._get_declaration()
    schema = declared and (declared.parameters_json_schema or _as_json_schema(declared.parameters))
    return {**listed, "inputSchema": schema} if schema else listed


def _as_json_schema(parameters: Any) -> Any:
    """Return parameters in Google's own form as JSON Schema."""
    return parameters and parameters.json_schema.model_dump(mode="json", exclude_none=True, by_alias=True)
