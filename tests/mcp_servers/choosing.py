"""A stdio server on the SDK whose tool `refund` takes one of several objects: `python -m tests.mcp_servers.choosing`.

It returns its arguments as JSON, exactly as they came.
"""

from __future__ import annotations

import json

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from webclient.domain.model import Json

REFUND: Json = {
    "type": "object",
    "properties": {"order": {"type": "integer", "title": "Order"}},
    "required": ["order"],
    "oneOf": [{"$ref": "#/$defs/ByCard"}, {"$ref": "#/$defs/BankTransfer"}],
    "$defs": {
        "ByCard": {
            "title": "To the card",
            "properties": {"to": {"const": "card"}, "digits": {"type": "string", "title": "Last digits"}},
            "required": ["to", "digits"],
        },
        "BankTransfer": {
            "title": "To an account",
            "properties": {"to": {"const": "account"}, "iban": {"type": "string", "title": "IBAN", "minLength": 4}},
            "required": ["to", "iban"],
        },
    },
}


async def _tools(_context: ServerRequestContext, _params: PaginatedRequestParams | None) -> ListToolsResult:
    return ListToolsResult(tools=[Tool(name="refund", title="Refund an order", input_schema=REFUND)])


async def _call(_context: ServerRequestContext, params: CallToolRequestParams) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=json.dumps(params.arguments))])


async def _serve() -> None:
    server: Server = Server("choosing", on_list_tools=_tools, on_call_tool=_call)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(_serve)
