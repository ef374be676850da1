"""The tool calls of a framework, as the inbox is asked about them, and what a framework can do with a decision."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import anyio

from mcp_webclient_client.approvals import Decision, Verb
from mcp_webclient_client.inbox import Inbox

ALL: Sequence[Verb] = ("approve", "edit", "reject", "respond")
"""The decisions of a person: `respond` is an answer in the place of the tool."""


class Abilities(NamedTuple):
    """The ability of a framework to honour decisions."""

    verbs: Sequence[Verb] = ALL
    """The decisions that the card has buttons for."""
    resumes: bool = False
    """Whether another process can go on with the run once the person has decided."""
    tells: bool = True
    """Whether the model learns that a person has changed the arguments."""


CAN: Mapping[str, Abilities] = {
    "pydantic-ai": Abilities(("approve", "edit", "reject"), resumes=True),
    "LangChain": Abilities(resumes=True),
    "Claude Agent SDK": Abilities(("approve", "edit", "reject")),
    "AG-UI": Abilities(("approve", "edit", "reject"), resumes=True, tells=False),
    "OpenAI Agents": Abilities(resumes=True),
    "Google ADK": Abilities(),
    "CrewAI": Abilities(),
    "Agent Framework": Abilities(),
}


@dataclass(frozen=True)
class Call:
    """A tool call that a model wants; `key` is the same each time it is asked about, also after a restart."""

    tool: Mapping[str, Any]
    arguments: Mapping[str, Any]
    key: str | None
    message: str | None = None

    @property
    def name(self) -> str:
        """The name of the tool."""
        return str(self.tool["name"])

    def note(self, decision: Decision) -> str:
        """Return what the model has to know before it reads the result; "" if its own arguments ran."""
        if decision.arguments is None or decision.arguments == dict(self.arguments):
            return ""
        return (
            f"A person changed the arguments of this call before it ran. {self.name} ran with exactly "
            f"{json.dumps(decision.arguments, ensure_ascii=False)}. Do not call it again with your own."
        )


async def decision_on(inbox: Inbox, call: Call, allow: Collection[Verb]) -> Decision:
    """Wait for the decision on one call, which is one of those that are allowed."""
    # In the order of the card, so that the same call is the same question.
    verbs = [verb for verb in ALL if verb in allow]
    return await inbox.approve(call.tool, call.arguments, message=call.message, allow=verbs, key=call.key)


async def decisions_on(inbox: Inbox, calls: Sequence[Call], allow: Sequence[Collection[Verb]]) -> list[Decision]:
    """Wait for the decisions on several calls, each with those that it allows."""
    found: dict[int, Decision] = {}

    async def ask(place: int) -> None:
        found[place] = await decision_on(inbox, calls[place], allow[place])

    async with anyio.create_task_group() as group:
        for place in range(len(calls)):
            group.start_soon(ask, place)
    return [found[place] for place in range(len(calls))]


def with_note(note: str, result: Any) -> Any:
    """Return the result of a tool with a note before it."""
    if not note:
        return result
    return f"{note}\n\n{result}" if isinstance(result, str) else {"note": note, "result": result}
