"""OpenAI Agents: `Agent(tools=[approved(inbox, tool)])` and `await run(inbox, agent, input)`.

The framework refuses changed arguments, so the tool itself asks, and runs with those of the decision. A run that was
stored with its interruptions goes on in another process: `await run(inbox, agent, state)`.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from agents import Runner

from mcp_webclient_client.frameworks.calls import CAN, Call, decision_on, decisions_on, with_note
from mcp_webclient_client.inbox import Inbox

MARK = "mcp_webclient_asks"
"""The attribute of a function that asks by itself."""


def approved(inbox: Inbox, tool: Any) -> Any:
    """Return the function tool as one that runs only with the arguments of a decision."""

    async def invoke(context: Any, raw: str) -> Any:
        listed = {"name": tool.name, "description": tool.description, "inputSchema": tool.params_json_schema}
        call = Call(listed, json.loads(raw or "{}"), context.tool_call_id)
        decision = await decision_on(inbox, call, CAN["OpenAI Agents"].verbs)
        if not decision.may_run:
            return decision.words
        note = call.note(decision)
        return with_note(note, await tool.on_invoke_tool(context, json.dumps(decision.arguments) if note else raw))

    setattr(invoke, MARK, True)
    # Without a limit, which would count the time of the person.
    return dataclasses.replace(tool, on_invoke_tool=invoke, needs_approval=True, timeout_seconds=None)


async def run(inbox: Inbox, agent: Any, given: Any, **options: Any) -> Any:
    """Run the agent with an input or a stored state, and return its last result.

    Approvals of tools that are not `approved`, such as those of MCP servers, are asked about without an edit.
    """
    result = await Runner.run(agent, given, **options)
    while result.interruptions:
        state = result.to_state()
        others = [each for each in result.interruptions if not _asks(each)]
        calls = [Call({"name": each.name}, json.loads(each.arguments or "{}"), each.call_id) for each in others]
        decisions = await decisions_on(inbox, calls, [("approve", "reject")] * len(calls))
        for each, decision in zip(others, decisions, strict=True):
            if decision.may_run:
                state.approve(each)
            else:
                state.reject(each, rejection_message=decision.words)
        for each in filter(_asks, result.interruptions):
            # The tool itself asks before it runs.
            state.approve(each)
        result = await Runner.run(agent, state, **options)
    return result


def _asks(interruption: Any) -> bool:
    tools = [tool for tool in interruption.agent.tools if tool.name == interruption.name]
    return bool(tools) and all(getattr(tool.on_invoke_tool, MARK, False) for tool in tools)
