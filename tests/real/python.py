"""Servers on version 1 of the Python SDK, and on FastMCP 3 and 4."""

from __future__ import annotations

import json

from tests.real.published import (
    CANCEL,
    DECLINE,
    MCP_1,
    MCP_2,
    PUSH,
    ROUNDS,
    Dialogue,
    Published,
    accept,
    each,
    node,
    python,
    uses,
    writes,
)

_EXAMPLES = "lib/python*/site-packages/mcp_agent/data/examples/mcp_agent_server"
_NESTED = [str(path) for path in MCP_1.glob(f"{_EXAMPLES}/asyncio/nested_elicitation_server.py")]
_UPSTREAM = node("@modelcontextprotocol/server-everything/dist/index.js")
_MAIL = {"account": "work", "name": "Old"}
_DELETE = each(
    "delete_mailbox",
    _MAIL,
    (accept(value=True), "osascript"),
    (accept(value=False), "cancelled"),
    (DECLINE, "cancelled"),
    (CANCEL, "cancelled"),
)

_SAMPLER = '''
from fastmcp import Context, FastMCP

server = FastMCP("sampler")


def weather(city: str) -> str:
    """Tell the weather in a city."""
    return f"It is sunny in {city}."


@server.tool
async def advise(ctx: Context) -> str:
    """Let a model find out where to go, with a tool."""
    result = await ctx.sample("Where should I go?", system_prompt="Be brief.", tools=[weather])
    return f"Advice: {result.text}"


server.run(show_banner=False)
'''
"""A server that runs the loop of tools of FastMCP 3 (`ctx.sample`)."""

SERVERS = [
    Published(
        name="a server of ours with `ctx.sample`",
        package="fastmcp",
        sdk="FastMCP 3",
        ours=True,
        command=python(MCP_1, "python", "{folder}/sampler.py"),
        files={"sampler.py": _SAMPLER},
        dialogues={
            PUSH: (
                Dialogue(
                    "advise",
                    {},
                    (uses("weather", city="Bern"), writes("Go to Bern.")),
                    "Advice: Go to Bern",
                ),
                Dialogue("advise", {}, (uses("weather", city="Bern"), DECLINE), "User rejected sampling request"),
                *each("advise", {}, (writes("Stay"), "Advice: Stay"), (DECLINE, "User rejected sampling request")),
            )
        },
    ),
    Published(
        name="nested_elicitation_server of mcp-agent",
        package="mcp-agent",
        sdk="Python SDK 1",
        command=python(MCP_1, "python", *_NESTED),
        dialogues={
            PUSH: each(
                "confirm_action",
                {"action": "book a table"},
                (accept(confirm=True), "confirmed by user"),
                (accept(confirm=False), "declined by user"),
                (DECLINE, "declined by user"),
                (CANCEL, "declined by user"),
            )
        },
    ),
    Published(
        name="mcp-elicitation-proxy",
        package="mcp-elicitation-proxy",
        sdk="FastMCP 3",
        command=python(MCP_1, "mcp-elicitation-proxy", "--config", "{folder}/proxy.json"),
        files={"proxy.json": json.dumps({"upstream": {"command": _UPSTREAM[0], "args": list(_UPSTREAM[1:])}})},
        remark="In front of server-everything; what it asks for goes there as arguments.",
        dialogues={
            PUSH: (
                *each(
                    "echo",
                    {},
                    (accept(message="tea, please"), "Echo: tea, please"),
                    (DECLINE, "declined"),
                    (CANCEL, "cancel"),
                ),
                *each("get-sum", {"a": 1}, (accept(b=2.5), "The sum of 1 and 2.5 is 3.5.")),
            )
        },
    ),
    Published(
        name="apple-mail-fast-mcp",
        package="apple-mail-fast-mcp",
        sdk="FastMCP 3",
        command=python(MCP_1, "apple-mail-fast-mcp"),
        environment={"HOME": "{folder}"},
        remark="What is accepted fails, as there is no Mail.",
        dialogues={PUSH: _DELETE},
    ),
    Published(
        name="apple-mail-fast-mcp",
        package="apple-mail-fast-mcp",
        sdk="FastMCP 4",
        command=python(MCP_2, "apple-mail-fast-mcp"),
        environment={"HOME": "{folder}"},
        remark="What is accepted fails, as there is no Mail. Cannot ask in 2026-07-28; the card suggests 2025-11-25.",
        dialogues={
            PUSH: _DELETE,
            ROUNDS: (Dialogue("delete_mailbox", _MAIL, (), "elicitation capability is unavailable", PUSH),),
        },
    ),
]
