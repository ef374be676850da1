"""Agent frameworks whose tool calls wait for a decision: a line of yours for each.

Both resume with the id of the call as the key, so an agent that was restarted gets the decision on the same question. A
person may approve, edit or reject; the frameworks have no way to take an answer in the place of the tool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import anyio

from mcp_webclient_client.approvals import Decision, Verb
from mcp_webclient_client.inbox import Inbox

CAN: Sequence[Verb] = ("approve", "edit", "reject")
"""What the frameworks can do with a decision."""


def pydantic_ai(inbox: Inbox) -> Any:
    """Return the capability of pydantic-ai that asks before each tool with `requires_approval`.

    The model does not learn of an edit; it sees the result of the arguments that ran.
    """
    # Here, because only those who use pydantic-ai have it.
    from pydantic_ai import DeferredToolResults, ToolApproved, ToolDenied  # noqa: PLC0415
    from pydantic_ai.capabilities import HandleDeferredToolCalls  # noqa: PLC0415

    async def decide(_context: Any, requests: Any) -> Any:
        calls = [(call.tool_name, call.args_as_dict(), call.tool_call_id) for call in requests.approvals]
        decisions = await _decisions(inbox, calls)
        return DeferredToolResults(
            approvals={
                call_id: ToolApproved(override_args=decision.arguments)
                if decision.may_run
                else ToolDenied(decision.words)
                for (_name, _arguments, call_id), decision in zip(calls, decisions, strict=True)
            }
        )

    return HandleDeferredToolCalls(handler=decide)


async def langchain(inbox: Inbox, agent: Any, given: Any, config: Mapping[str, Any]) -> Any:
    """Run a LangChain agent with `HumanInTheLoopMiddleware(interrupt_mode="per_call")`, and return its last state.

    Each interrupt is asked; the agent goes on once all are decided. Its model learns of an edit.
    """
    from langgraph.types import Command  # noqa: PLC0415  (as above)

    state = await agent.ainvoke(given, config, version="v2")
    while interrupts := state.interrupts:
        calls = [(each.value["name"], each.value["args"], each.value["tool_call_id"]) for each in interrupts]
        decisions = await _decisions(inbox, calls)
        resume = {
            each.id: _as_langchain(each.value["name"], each.value["args"], decision)
            for each, decision in zip(interrupts, decisions, strict=True)
        }
        state = await agent.ainvoke(Command(resume=resume), config, version="v2")
    return state


async def _decisions(inbox: Inbox, calls: Sequence[tuple[str, Mapping[str, Any], str]]) -> list[Decision]:
    """Return the decisions on these calls, which are asked together."""
    found: dict[int, Decision] = {}

    async def ask(place: int, name: str, arguments: Mapping[str, Any], call_id: str) -> None:
        found[place] = await inbox.approve(name, arguments, allow=CAN, key=call_id)

    async with anyio.create_task_group() as group:
        for place, call in enumerate(calls):
            group.start_soon(ask, place, *call)
    return [found[place] for place in range(len(calls))]


def _as_langchain(name: str, arguments: Mapping[str, Any], decision: Decision) -> dict[str, Any]:
    if decision.arguments is None:
        return {"type": "reject", "message": decision.words}
    if decision.verb == "edit" and decision.arguments != dict(arguments):
        return {"type": "edit", "edited_action": {"name": name, "args": decision.arguments}}
    return {"type": "approve"}
