"""Claude Agent SDK: `ClaudeAgentOptions(..., **approvals(inbox, "mcp__bank__.*"))` asks before each of these tools.

Tools that the permissions of Claude do not allow by themselves are asked about as well. The run waits for the person.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from claude_agent_sdk import HookMatcher, PermissionResultAllow, PermissionResultDeny

from mcp_webclient_client.frameworks.calls import CAN, Call, decision_on
from mcp_webclient_client.inbox import Inbox


def approvals(inbox: Inbox, tools: str) -> dict[str, Any]:
    """Return the options that ask before tools with such names, also if they are allowed."""
    notes: dict[str | None, str] = {}

    async def ask(_given: Any, _tool_use_id: str | None, _context: Any) -> dict[str, Any]:
        return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask"}}

    async def decide(name: str, arguments: Mapping[str, Any], context: Any) -> Any:
        call = Call({"name": name}, arguments, context.tool_use_id)
        decision = await decision_on(inbox, call, CAN["Claude Agent SDK"].verbs)
        if decision.arguments is None:
            return PermissionResultDeny(message=decision.words)
        notes[context.tool_use_id] = call.note(decision)
        return PermissionResultAllow(updated_input=decision.arguments)

    async def note(given: Any, tool_use_id: str | None, _context: Any) -> dict[str, Any]:
        if not (said := notes.pop(tool_use_id, "")):
            return {}
        output: dict[str, Any] = {"hookEventName": "PostToolUse", "additionalContext": said}
        if isinstance(given["tool_response"], list):
            # The content of an MCP tool; those of Claude itself have shapes of their own.
            output["updatedMCPToolOutput"] = [{"type": "text", "text": said}, *given["tool_response"]]
        return {"hookSpecificOutput": output}

    # A hook that fails has to end the call: the permissions of Claude may allow it.
    before = HookMatcher(matcher=tools, hooks=[ask], on_failure="block")
    hooks = {"PreToolUse": [before], "PostToolUse": [HookMatcher(hooks=[note])]}
    return {"can_use_tool": decide, "hooks": hooks}
