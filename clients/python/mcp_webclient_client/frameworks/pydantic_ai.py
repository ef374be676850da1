"""pydantic-ai: `Agent(..., capabilities=[approvals(inbox)])` asks before each tool with `requires_approval`.

The run waits for the person. One that ended with `DeferredToolRequests` instead, stored as JSON, goes on anywhere:

    approvals = pydantic_ai.approvals(inbox)
    results = await approvals.results(requests)
    await agent.run(message_history=history, deferred_tool_results=results, capabilities=[approvals])
"""

from __future__ import annotations

import dataclasses
from typing import Any

from pydantic_ai import DeferredToolResults, ToolApproved, ToolDenied
from pydantic_ai.capabilities import HandleDeferredToolCalls
from pydantic_ai.messages import ToolReturn

from mcp_webclient_client.frameworks.calls import CAN, Call, decisions_on, with_note
from mcp_webclient_client.inbox import Inbox

NOTE = "mcp-webclient/note"
"""The key in the metadata of a call with what the model gets before the result."""


class Approvals(HandleDeferredToolCalls[Any]):  # type: ignore[misc]  # not installed where this is checked
    """The capability that asks, and tells the model of changed arguments."""

    def __init__(self, inbox: Inbox) -> None:
        """Ask in this inbox."""
        self._inbox = inbox
        super().__init__(handler=lambda context, requests: self.results(requests, context.tools))

    async def results(self, requests: Any, tools: Any = None) -> Any:
        """Ask about the approvals among these requests, and return what pydantic-ai takes.

        They may have been stored by another process. Calls that wait for something else than an approval stay open.
        """
        calls = [
            Call(_listed(each.tool_name, (tools or {}).get(each.tool_name)), each.args_as_dict(), each.tool_call_id)
            for each in requests.approvals
        ]
        decisions = await decisions_on(self._inbox, calls, [CAN["pydantic-ai"].verbs] * len(calls))
        decided = list(zip(calls, decisions, strict=True))
        return DeferredToolResults(
            approvals={
                call.key: ToolApproved(override_args=decision.arguments)
                if decision.may_run
                else ToolDenied(decision.words)
                for call, decision in decided
            },
            metadata={call.key: {NOTE: note} for call, decision in decided if (note := call.note(decision))},
        )

    async def after_tool_execute(self, ctx: Any, *, result: Any, **_call: Any) -> Any:
        """Tell the model of changed arguments, in the result."""
        note = (ctx.tool_call_metadata or {}).get(NOTE, "")
        if isinstance(result, ToolReturn):
            return dataclasses.replace(result, return_value=with_note(note, result.return_value))
        return with_note(note, result)


def approvals(inbox: Inbox) -> Approvals:
    """Return the capability for an agent, or for one run."""
    return Approvals(inbox)


def _listed(name: str, tool: Any) -> dict[str, Any]:
    """Return the tool as the card shows it."""
    if tool is None:
        return {"name": name}
    return {"name": name, "description": tool.description, "inputSchema": tool.parameters_json_schema}
