"""AG-UI: `RunAgentInput(resume=await resume(inbox, interrupts, messages), ...)` answers a run that was interrupted.

Interrupts and messages are data, so any process can do this, at any time before they expire.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ag_ui.core import ResumeEntry

from mcp_webclient_client.approvals import Decision, Verb
from mcp_webclient_client.frameworks.calls import Call, decisions_on
from mcp_webclient_client.inbox import Inbox


async def resume(inbox: Inbox, interrupts: Sequence[Any], messages: Sequence[Any]) -> list[Any]:
    """Ask about the interrupts of a run, and return the entries that resume it.

    The interrupts are those of `RUN_FINISHED`; the messages have the calls. Raises ValueError before anything is
    asked, if the agent waits for something else than `approved` of a tool call.
    """
    made = {call.id: call.function for message in messages for call in getattr(message, "tool_calls", None) or ()}
    calls = [_call(each, made) for each in interrupts]
    decisions = await decisions_on(inbox, calls, [_verbs(each) for each in interrupts])
    return [
        ResumeEntry(interrupt_id=each.id, status="resolved", payload=_payload(each, call, decision))
        for each, call, decision in zip(interrupts, calls, decisions, strict=True)
    ]


def _call(interrupt: Any, made: Mapping[str, Any]) -> Call:
    function = made.get(interrupt.tool_call_id)
    if function is None or "approved" not in _fields(interrupt):
        raise ValueError(f"This interrupt is not a tool call that waits for an approval: {interrupt.id}")
    return Call({"name": function.name}, json.loads(function.arguments or "{}"), interrupt.id, interrupt.message)


def _fields(interrupt: Any) -> Mapping[str, Any]:
    fields: Mapping[str, Any] = (interrupt.response_schema or {}).get("properties", {})
    return fields


def _verbs(interrupt: Any) -> Sequence[Verb]:
    return ("approve", "edit", "reject") if "editedArgs" in _fields(interrupt) else ("approve", "reject")


def _payload(interrupt: Any, call: Call, decision: Decision) -> dict[str, Any]:
    """Return the answer as AG-UI recommends it: `approved`, `editedArgs`, and `reason`."""
    if decision.arguments is None:
        return {"approved": False} | ({"reason": decision.words} if "reason" in _fields(interrupt) else {})
    return {"approved": True} | ({"editedArgs": decision.arguments} if call.note(decision) else {})
