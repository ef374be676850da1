# mypy: ignore-errors
# ruff: noqa: PLC0415  (each Python has one of the frameworks)
"""Agents on other SDKs and frameworks: `agents.py KIND INBOX TOKEN TOOL ARGUMENTS COMMAND...` calls a tool, and prints.

It runs with the Python that has the framework, and imports nothing of ours but the client package. COMMAND starts the
MCP server over stdio.
"""

from __future__ import annotations

import asyncio
import json
import sys

from mcp_webclient_client import Inbox


async def fastmcp(inbox: Inbox, tool: str, arguments: dict, command: list[str]) -> str:
    """Call with FastMCP's client, 3 or 4."""
    import fastmcp
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    # Version 4 speaks 2026-07-28 where the server does; this server pushes in the other era as well.
    mode = {} if fastmcp.__version__.startswith("3.") else {"mode": "legacy"}
    transport = StdioTransport(command=command[0], args=command[1:])
    async with Client(transport, elicitation_handler=inbox.fastmcp, **mode) as client:
        result = await client.call_tool(tool, arguments)
        return result.content[0].text


async def mcp_1(inbox: Inbox, tool: str, arguments: dict, command: list[str]) -> str:
    """Call with version 1 of the SDK."""
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async with (
        stdio_client(StdioServerParameters(command=command[0], args=command[1:])) as (read, write),
        ClientSession(read, write, elicitation_callback=inbox) as session,
    ):
        await session.initialize()
        return (await session.call_tool(tool, arguments)).content[0].text


async def langchain(inbox: Inbox, tool: str, arguments: dict, command: list[str]) -> str:
    """Call a tool of LangChain, which langchain-mcp-adapters makes of the server's."""
    from langchain_mcp_adapters.callbacks import Callbacks
    from langchain_mcp_adapters.client import MultiServerMCPClient

    connection = {"transport": "stdio", "command": command[0], "args": command[1:]}
    client = MultiServerMCPClient({"asker": connection}, callbacks=Callbacks(on_elicitation=inbox.langchain))
    tools = {each.name: each for each in await client.get_tools()}
    result = await tools[tool].ainvoke(arguments)
    return result if isinstance(result, str) else result[0]["text"]


def main() -> None:
    """Run the agent that is named."""
    kind, address, token, tool, arguments, *command = sys.argv[1:]
    agent = {"fastmcp": fastmcp, "mcp_1": mcp_1, "langchain": langchain}[kind]
    print(asyncio.run(agent(Inbox(address, token), tool, json.loads(arguments), command)))  # noqa: T201


main()
