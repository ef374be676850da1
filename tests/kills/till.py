"""A counting server on the official SDK: its tool asks for an amount, pays a moment later, and writes that down.

`python -m tests.kills.till TESTIMONY [the options of tests.mcp_servers.serving]`.
"""

from __future__ import annotations

import sys
from typing import Any

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import InputRequiredResult

from tests.kills.testimony import ListeningToPosts, Writer, listen_to_stdin
from tests.mcp_servers.asker.asking import ask_one, form
from tests.mcp_servers.serving import read_options, serve, state_security
from webclient.domain.model import Json

BEFORE, AFTER = 0.05, 0.1
"""Seconds between the answer and the payment, and between that and the result."""

SCHEMA: Json = {"type": "object", "properties": {"amount": {"type": "integer"}}, "required": ["amount"]}


def wording(number: int) -> str:
    """Return the words in which the call with this number asks."""
    return f"Which amount for payment {number}?"


def create_server(writer: Writer, state_key: str | None) -> MCPServer[Any]:
    """Return the server with its one tool."""
    server: MCPServer[Any] = MCPServer(
        name="till", log_level="CRITICAL", request_state_security=state_security(state_key)
    )

    @server.tool(structured_output=False)
    async def pay(ctx: Context[Any, Any], number: int) -> Json | InputRequiredResult:
        """Pay what the person says."""
        answer = await ask_one(ctx, form(wording(number), SCHEMA))
        if isinstance(answer, InputRequiredResult):
            return answer
        amount = answer["content"]["amount"]
        await anyio.sleep(BEFORE)
        writer.executed(number, amount)
        await anyio.sleep(AFTER)
        return {"paid": amount}

    return server


if __name__ == "__main__":
    options = read_options(sys.argv[2:])
    testimony = Writer(sys.argv[1])
    testimony.started()
    till = create_server(testimony, options.state_key)
    if options.transport == "stdio":
        listen_to_stdin(testimony)
    serve(till, options, lambda app: app.add_middleware(ListeningToPosts, writer=testimony))
