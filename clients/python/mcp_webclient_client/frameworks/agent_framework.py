"""Microsoft's Agent Framework: with `Agent(..., middleware=[approvals(inbox)])`, a person decides before a tool runs.

By default this covers every tool; pass names to cover only some. The run waits meanwhile. Do not combine it with
`approval_mode`: there, the framework runs the original arguments where its history shows edited ones.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import Any

from agent_framework import Content, FunctionMiddleware

from mcp_webclient_client.frameworks.calls import CAN, Call, decision_on
from mcp_webclient_client.inbox import Inbox


class Approvals(FunctionMiddleware):  # type: ignore[misc]  # not installed where this is checked
    """The middleware that asks. It has to be the last one: a later one could change the arguments."""

    def __init__(self, inbox: Inbox, tools: Collection[str] | None = None) -> None:
        """Ask in this inbox, before all tools or those with these names."""
        self._inbox = inbox
        self._tools = tools

    async def process(self, context: Any, call_next: Callable[[], Awaitable[None]]) -> None:
        """Run the tool with the arguments of the decision, or answer in its place."""
        if self._tools is not None and context.function.name not in self._tools:
            await call_next()
            return
        listed = {"name": context.function.name, "description": context.function.description}
        call = Call(listed, _plain(context.arguments), context.metadata["call_id"])
        decision = await decision_on(self._inbox, call, CAN["Agent Framework"].verbs)
        if decision.arguments is None:
            context.result = decision.words
            return
        context.arguments = decision.arguments
        await call_next()
        if note := call.note(decision):
            result = context.result if isinstance(context.result, list) else [Content.from_text(str(context.result))]
            context.result = [Content.from_text(note), *result]


def approvals(inbox: Inbox, tools: Collection[str] | None = None) -> Approvals:
    """Return the middleware for an agent."""
    return Approvals(inbox, tools)


def _plain(arguments: Any) -> dict[str, Any]:
    return dict(arguments if isinstance(arguments, dict) else arguments.model_dump())
