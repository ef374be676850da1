"""LangChain and LangGraph: `await run(inbox, agent, input, config)` asks about each interrupt, until the run ends.

The interrupts are those of `HumanInTheLoopMiddleware`, `batched` or `per_call`, and in a graph of your own

    decision = interrupt({"type": "tool_approval", "name": "pay", "args": {"amount": 250}})

which returns what LangChain's middleware gets: `{"type": "approve"}`, `"edit"` with `edited_action`, or `"reject"` or
`"respond"` with `message`. After a restart, with a checkpointer that lasts: `await run(inbox, agent, None, config)`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from langgraph.types import Command

from mcp_webclient_client.approvals import Decision, Verb
from mcp_webclient_client.frameworks.calls import CAN, Call, decisions_on
from mcp_webclient_client.inbox import Inbox


async def run(inbox: Inbox, agent: Any, given: Any, config: Mapping[str, Any]) -> Any:
    """Run the agent or graph, and return its last state, as of `ainvoke(..., version="v2")`.

    Raises ValueError before anything runs if it has no checkpointer, and if an interrupt is of another kind.
    """
    if not agent.checkpointer:
        raise ValueError("An agent whose tool calls wait for a person needs a checkpointer.")
    state = await agent.ainvoke(given, config, version="v2")
    while interrupts := state.interrupts:
        waiting = [_calls_of(each) for each in interrupts]
        flat = [each for calls in waiting for each in calls]
        decisions = iter(await decisions_on(inbox, [call for call, _allow in flat], [allow for _call, allow in flat]))
        for interrupt, calls in zip(interrupts, waiting, strict=True):
            # One after the other: if one of several is not valid, the tools of the others may have run, and run again.
            resume = {interrupt.id: _resumed(interrupt.value, calls, decisions)}
            state = await agent.ainvoke(Command(resume=resume), config, version="v2")
    return state


def _calls_of(interrupt: Any) -> list[tuple[Call, Collection[Verb]]]:
    """Return the calls of an interrupt, each with the decisions that it allows."""
    value = interrupt.value if isinstance(interrupt.value, Mapping) else {}
    if value.get("type") == "tool_approval":
        schema = interrupt.response_schema if isinstance(interrupt.response_schema, Mapping) else {}
        tool = {"name": value["name"], "inputSchema": _schema_of_edited(schema)}
        return [(Call(tool, value["args"], interrupt.id, _why(value)), _verbs(schema))]
    if "action_requests" not in value:
        raise ValueError(f"This interrupt is not a tool call that waits for an approval: {interrupt.value!r}")
    allowed = {each["action_name"]: each["allowed_decisions"] for each in value["review_configs"]}
    return [
        (Call({"name": each["name"]}, each["args"], f"{interrupt.id}/{place}", _why(each)), allowed[each["name"]])
        for place, each in enumerate(value["action_requests"])
    ]


def _verbs(schema: Mapping[str, Any]) -> Collection[Any]:
    """Return the decisions that an answer of this schema may have; all, if it does not say."""
    if branches := schema.get("discriminator", {}).get("mapping"):
        return set(branches)
    only = schema.get("properties", {}).get("type", {}).get("const")
    return {only} if only else CAN["LangChain"].verbs


def _schema_of_edited(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the schema of the arguments in an answer that edits them."""
    definitions = schema.get("$defs", {})
    found = definitions.get("EditedAction", {}).get("properties", {}).get("args")
    if found is None:
        return None
    found = definitions.get(found.get("$ref", "").removeprefix("#/$defs/"), found)
    return {**found, "$defs": definitions} if "$ref" in str(found) else dict(found)


def _resumed(value: Mapping[str, Any], calls: list[Any], decisions: Iterator[Decision]) -> dict[str, Any]:
    answers = [_answer(call, next(decisions)) for call, _allow in calls]
    return {"decisions": answers} if "action_requests" in value else answers[0]


def _answer(call: Call, decision: Decision) -> dict[str, Any]:
    if decision.verb == "respond":
        return {"type": "respond", "message": decision.message}
    if decision.arguments is None:
        return {"type": "reject", "message": decision.words}
    if decision.arguments != dict(call.arguments):
        return {"type": "edit", "edited_action": {"name": call.name, "args": decision.arguments}}
    return {"type": "approve"}


def _why(value: Mapping[str, Any]) -> str | None:
    """Return what the developer wrote about the call; LangChain's own text repeats the card."""
    text: str | None = value.get("description")
    return None if text is None or text.endswith(f"\n\nTool: {value['name']}\nArgs: {value['args']}") else text
