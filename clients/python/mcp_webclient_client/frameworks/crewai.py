"""CrewAI: after `approvals(inbox)`, a person decides before a tool of any agent runs.

By default this covers every tool; pass names to cover only some. The thread of the tool waits for the decision. CrewAI
has no id for a call, so each attempt is a question of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from crewai.hooks import register_after_tool_call_hook, register_before_tool_call_hook

from mcp_webclient_client.approvals import Decision
from mcp_webclient_client.frameworks.calls import CAN, Call, decision_on, with_note
from mcp_webclient_client.inbox import Inbox


def approvals(inbox: Inbox, tools: Collection[str] | None = None) -> None:
    """Register the two hooks of CrewAI; register others that change arguments before them."""
    notes: dict[int, tuple[Decision | None, str]] = {}

    def before(context: Any) -> bool | None:
        if tools is not None and context.tool_name not in tools:
            return None
        call = Call({"name": context.tool_name}, dict(context.tool_input), None)
        try:
            decision = _waited(inbox, call)
        except Exception as error:  # noqa: BLE001  (CrewAI runs the tool after a hook that fails)
            decision = Decision(None, reason=f"No person could be asked, so this call did not run. {error}")
        if decision.arguments is None:
            notes[id(context.tool_input)] = (decision, "")
            return False
        notes[id(context.tool_input)] = (None, call.note(decision))
        context.tool_input.clear()
        context.tool_input.update(decision.arguments)
        return None

    def after(context: Any) -> str | None:
        # The arguments are the same object in both hooks.
        refused, note = notes.pop(id(context.tool_input), (None, ""))
        if refused:
            return refused.words
        return str(with_note(note, str(context.tool_result))) if note else None

    register_before_tool_call_hook(before)
    register_after_tool_call_hook(after)


def _waited(inbox: Inbox, call: Call) -> Decision:
    """Return the decision, also in a thread with an event loop of its own."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, decision_on(inbox, call, CAN["CrewAI"].verbs)).result()
