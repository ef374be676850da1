"""A scripted agent, which a language model can replace: `reply` gets the conversation and returns a text or a tool use.

This one knows two words. Its tools are those of the MCP server that `webclient/demo/` has; both ask the person.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PEOPLE = {"ada": "Ada", "grace": "Grace"}
"""The people of this company, by their lasting names."""

Message = dict[str, str]
"""`role` is `user`, `assistant`, or `tool` for what a tool returned; `content` is the text."""


@dataclass(frozen=True)
class ToolUse:
    """The wish to call a tool of an MCP server."""

    server: str
    tool: str
    arguments: dict[str, Any]


TOOLS = {
    "trip": ToolUse("trips", "book_trip", {"date": "2026-12-24"}),
    "table": ToolUse("trips", "reserve_table", {"restaurant": "Alfama"}),
}
"""The tool for a message that contains the word."""


def reply(history: list[Message]) -> str | ToolUse:
    """Continue a conversation, whose last message is from the user or from a tool."""
    last = history[-1]
    if last["role"] == "tool":
        return f"The travel desk says: {last['content']}"
    said = last["content"].lower()
    return next((use for word, use in TOOLS.items() if word in said), "I can book a trip, or reserve a table.")
